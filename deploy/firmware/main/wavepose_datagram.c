#include "wavepose_datagram.h"

#include <string.h>

#define MAGIC 0xC5110001u
#define STATED_CHANNEL 0xB0u

static void put_u32(uint8_t *at, uint32_t value) {
  for (int i = 0; i < 4; i++) at[i] = (uint8_t)(value >> (8 * i));
}

uint32_t wp_frequency_mhz(uint8_t channel) {
  if (channel >= 1 && channel <= 13) return 2407u + 5u * channel;
  if (channel == 14) return 2484u;
  if (channel >= 32 && channel <= 177) return 5000u + 5u * channel;
  return 0;
}

static int hexadecimal(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool wp_read_key(const char *text, wp_key_t *key) {
  static const char prefix[] = "wpk-";
  if (strncmp(text, prefix, sizeof prefix - 1) != 0) return false;
  const char *at = text + sizeof prefix - 1;
  uint64_t number = 0;
  int digits = 0;
  for (; *at >= '0' && *at <= '9' && digits < 10; at++, digits++) number = 10 * number + (uint64_t)(*at - '0');
  if (digits == 0 || number > UINT32_MAX || *at++ != '-') return false;
  if (strlen(at) != 2 * WP_KEY_BYTES) return false;
  for (int i = 0; i < WP_KEY_BYTES; i++) {
    int high = hexadecimal(at[2 * i]);
    int low = hexadecimal(at[2 * i + 1]);
    if (high < 0 || low < 0) return false;
    key->bytes[i] = (uint8_t)(16 * high + low);
  }
  key->number = (uint32_t)number;
  return true;
}

/** Bins of the field that is sent; 0 if the buffer has none. */
static int bins_of(const wp_frame_t *frame, size_t csi_bytes) {
  if (frame->has_one_field) return csi_bytes == 2 * WP_BINS ? WP_BINS : csi_bytes == 2 * WP_HT20_BINS ? WP_HT20_BINS : 0;
  return csi_bytes >= 2 * WP_BINS ? WP_BINS : 0;
}

/** Writes the bins to their places in the WP_BINS of a datagram, which has the order of the buffer. */
static void put_bins(uint8_t *out, const wp_frame_t *frame, const int8_t *csi, int bins) {
  const int lowest = -(bins / 2);
  memset(out, 0, 2 * WP_BINS);
  for (int bin = frame->first_word_invalid ? 2 : 0; bin < bins; bin++) {
    const bool is_ascending = frame->secondary_channel != 0;
    const int subcarrier = is_ascending ? lowest + bin : bin < bins + lowest ? bin : bin - bins;
    const int place = is_ascending ? subcarrier + WP_BINS / 2 : (subcarrier + WP_BINS) % WP_BINS;
    memcpy(out + 2 * place, csi + 2 * bin, 2);
  }
}

size_t wp_write_frame(uint8_t *out, const wp_frame_t *frame, const int8_t *csi, size_t csi_bytes) {
  const int bins = bins_of(frame, csi_bytes);
  if (bins == 0) return 0;
  put_u32(out, MAGIC);
  out[4] = frame->node;
  out[5] = 1;
  out[6] = WP_BINS;
  out[7] = 0;
  put_u32(out + 8, frame->frequency_mhz);
  put_u32(out + 12, frame->sequence);
  out[16] = (uint8_t)frame->rssi_dbm;
  out[17] = (uint8_t)frame->noise_floor_dbm;
  out[18] = (uint8_t)(STATED_CHANNEL + (frame->secondary_channel & 3u));
  out[19] = frame->is_40_mhz ? 1 : 0;
  put_bins(out + WP_HEADER_BYTES, frame, csi, bins);
  return WP_HEADER_BYTES + 2 * WP_BINS;
}

size_t wp_write_stamp(uint8_t *out, size_t length, uint32_t key_number, uint32_t epoch, uint32_t sequence) {
  memcpy(out + length, "WPS1", 4);
  put_u32(out + length + 4, key_number);
  put_u32(out + length + 8, epoch);
  put_u32(out + length + 12, sequence);
  return length + WP_TRAILER_BYTES - WP_SIGNATURE_BYTES;
}
