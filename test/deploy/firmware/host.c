/**
 * Prints datagrams of the firmware as hexadecimal lines. Arguments: key text, secondary channel, flag of an invalid first word, numbers of the
 * CSI buffer, flag of a buffer with one training field.
 */
#include <stdio.h>
#include <stdlib.h>

#include "wavepose_datagram.h"

int main(int argc, char **argv) {
  wp_key_t key;
  if (argc != 6 || !wp_read_key(argv[1], &key)) return 2;
  const int secondary = atoi(argv[2]);
  const int numbers = atoi(argv[4]);
  const int bins = numbers / 2 < WP_BINS ? numbers / 2 : WP_BINS;
  int8_t csi[2 * WP_BINS] = {0};
  for (int bin = 0; bin < bins; bin++) {
    const int k = secondary != 0 ? bin - bins / 2 : bin < bins - bins / 2 ? bin : bin - bins;
    const int carries = k != 0 && k >= -26 && k <= 26;
    csi[2 * bin] = (int8_t)(carries ? k : 0);
    csi[2 * bin + 1] = (int8_t)(carries ? 40 : 0);
  }
  const wp_frame_t frame = {
    .node = 7, .frequency_mhz = wp_frequency_mhz(6), .sequence = 1234567, .rssi_dbm = -51, .noise_floor_dbm = -93,
    .secondary_channel = (uint8_t)secondary, .is_40_mhz = secondary != 0, .has_one_field = atoi(argv[5]) != 0,
    .first_word_invalid = atoi(argv[3]) != 0,
  };
  uint8_t datagram[WP_DATAGRAM_BYTES];
  const size_t length = wp_write_frame(datagram, &frame, csi, (size_t)numbers);
  if (length == 0) return 3;
  const size_t covered = wp_write_stamp(datagram, length, key.number, 9, 4000000000u);
  for (size_t i = 0; i < covered; i++) printf("%02x", datagram[i]);
  printf("\n");
  for (size_t i = 0; i < WP_KEY_BYTES; i++) printf("%02x", key.bytes[i]);
  printf("\n");
  return 0;
}
