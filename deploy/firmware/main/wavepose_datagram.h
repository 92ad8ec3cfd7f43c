/**
 * The bytes of a datagram: one CSI frame in RuView's layout, and the trailer that signs it. Pure C11, without ESP-IDF, so that a host can
 * compile and test it.
 *
 * Little-endian: 0 magic u32, 4 node u8, 5 antennas u8, 6 bins u16, 8 MHz u32, 12 sequence u32, 16 RSSI i8, 17 noise floor i8, 18 stated
 * channel u8, 19 flags u8 (bit 0: 40 MHz), 20 pairs of i8 (imaginary, real).
 *
 * Byte 18 is 0xB0 + secondary channel (0 none, 1 above, 2 below). It states the order of the bins: 0 to 31, -32 to -1 without a
 * secondary channel, else -32 to 31.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define WP_HEADER_BYTES 20
#define WP_TRAILER_BYTES 32
#define WP_SIGNATURE_BYTES 16
#define WP_KEY_BYTES 32
/** Bins of the legacy training field, and of the HT field of 20 MHz: -32 to 31. */
#define WP_BINS 64
/** Bins of the HT field of 20 MHz as an ESP32-C5 writes it, without the guards: -28 to 28. */
#define WP_HT20_BINS 57
#define WP_DATAGRAM_BYTES (WP_HEADER_BYTES + 2 * WP_BINS + WP_TRAILER_BYTES)

typedef struct {
  uint8_t node;
  uint32_t frequency_mhz;
  uint32_t sequence;
  int8_t rssi_dbm;
  int8_t noise_floor_dbm;
  /** 0 none, 1 above, 2 below. */
  uint8_t secondary_channel;
  bool is_40_mhz;
  /** A chip with Wi-Fi 6: the buffer has the training field of the packet's format alone. Other chips begin with the legacy field. */
  bool has_one_field;
  /** The chip says that the first four bytes of the buffer are invalid. */
  bool first_word_invalid;
} wp_frame_t;

typedef struct {
  uint32_t number;
  uint8_t bytes[WP_KEY_BYTES];
} wp_key_t;

/** Centre frequency of a channel of 2.4 or 5 GHz in MHz; 0 if there is none. */
uint32_t wp_frequency_mhz(uint8_t channel);

/** Reads `wpk-<number>-<64 hexadecimal digits>`; false if the text is no key. */
bool wp_read_key(const char *text, wp_key_t *key);

/**
 * Writes a frame to `out`, which has room for WP_DATAGRAM_BYTES. `csi` has the first 2 * WP_BINS bytes, or all, of a buffer of `csi_bytes`
 * (pairs of imaginary and real). Returns the number of bytes; 0 if the length is that of no supported field.
 */
size_t wp_write_frame(uint8_t *out, const wp_frame_t *frame, const int8_t *csi, size_t csi_bytes);

/**
 * Appends the signed part of the trailer to a datagram of `length` bytes. Returns the number of bytes that the signature covers; the first
 * WP_SIGNATURE_BYTES of their HMAC-SHA-256 follow.
 */
size_t wp_write_stamp(uint8_t *out, size_t length, uint32_t key_number, uint32_t epoch, uint32_t sequence);
