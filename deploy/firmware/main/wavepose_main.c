/**
 * A sensing node: joins a Wi-Fi network, pings its access point, and sends the CSI of the answers to the service.
 *
 * The CSI callback runs in the Wi-Fi task, so it only copies into a queue of `FRAMES_WAITING` frames; a full queue drops the frame. One
 * task signs and sends. The epoch of the signatures is a counter in flash memory that grows with every start.
 */
#include <string.h>

#include "esp_event.h"
#include "esp_idf_version.h"
#include "esp_log.h"
#include "esp_netif.h"
#include "esp_system.h"
#include "esp_wifi.h"
#include "freertos/FreeRTOS.h"
#include "freertos/queue.h"
#include "freertos/task.h"
#include "lwip/sockets.h"
#include "nvs.h"
#include "nvs_flash.h"
#include "ping/ping_sock.h"
#include "wavepose_datagram.h"

// Mbed TLS 4 of ESP-IDF 6 has no HMAC but that of PSA, which ESP-IDF 5 has as an option only.
#if ESP_IDF_VERSION_MAJOR >= 6
#include "psa/crypto.h"
#else
#include "mbedtls/md.h"
#endif

#define FRAMES_WAITING 32

static const char *TAG = "wavepose";

typedef struct {
  wp_frame_t frame;
  /** Length of the whole buffer. */
  uint16_t csi_bytes;
  int8_t csi[2 * WP_BINS];
} waiting_t;

static QueueHandle_t waiting;
static esp_ping_handle_t ping;
/** Frames are measured from this transmitter only. */
static uint8_t access_point[6];
static uint32_t measured;

static void on_csi(void *context, wifi_csi_info_t *info) {
  (void)context;
  if (info->buf == NULL) return;
  if (memcmp(info->mac, access_point, sizeof access_point) != 0) return;
  waiting_t item = {
    .frame = {
      .node = CONFIG_WAVEPOSE_NODE_NUMBER,
      .frequency_mhz = wp_frequency_mhz(info->rx_ctrl.channel),
      .sequence = measured++,
      .rssi_dbm = (int8_t)info->rx_ctrl.rssi,
      .noise_floor_dbm = (int8_t)info->rx_ctrl.noise_floor,
#if CONFIG_SOC_WIFI_HE_SUPPORT
      .secondary_channel = (uint8_t)info->rx_ctrl.second,
      .is_40_mhz = info->rx_ctrl.second != 0,
      .has_one_field = true,
#else
      .secondary_channel = (uint8_t)info->rx_ctrl.secondary_channel,
      .is_40_mhz = info->rx_ctrl.cwb == 1,
#endif
      .first_word_invalid = info->first_word_invalid,
    },
    .csi_bytes = info->len,
  };
  memcpy(item.csi, info->buf, info->len < sizeof item.csi ? info->len : sizeof item.csi);
  xQueueSend(waiting, &item, 0);
}

static uint32_t next_epoch(void) {
  nvs_handle_t flash;
  uint32_t epoch = 0;
  ESP_ERROR_CHECK(nvs_open("wavepose", NVS_READWRITE, &flash));
  nvs_get_u32(flash, "epoch", &epoch);
  ESP_ERROR_CHECK(nvs_set_u32(flash, "epoch", ++epoch));
  ESP_ERROR_CHECK(nvs_commit(flash));
  nvs_close(flash);
  return epoch;
}

#define HMAC_BYTES 32

#if ESP_IDF_VERSION_MAJOR >= 6
static bool hmac_sha256(const wp_key_t *key, const uint8_t *bytes, size_t length, uint8_t *hmac) {
  psa_key_attributes_t attributes = PSA_KEY_ATTRIBUTES_INIT;
  psa_set_key_type(&attributes, PSA_KEY_TYPE_HMAC);
  psa_set_key_usage_flags(&attributes, PSA_KEY_USAGE_SIGN_MESSAGE);
  psa_set_key_algorithm(&attributes, PSA_ALG_HMAC(PSA_ALG_SHA_256));
  psa_key_id_t id;
  if (psa_import_key(&attributes, key->bytes, sizeof key->bytes, &id) != PSA_SUCCESS) return false;
  size_t written = 0;
  const psa_status_t status =
    psa_mac_compute(id, PSA_ALG_HMAC(PSA_ALG_SHA_256), bytes, length, hmac, HMAC_BYTES, &written);
  psa_destroy_key(id);
  return status == PSA_SUCCESS && written == HMAC_BYTES;
}
#else
static bool hmac_sha256(const wp_key_t *key, const uint8_t *bytes, size_t length, uint8_t *hmac) {
  const mbedtls_md_info_t *sha256 = mbedtls_md_info_from_type(MBEDTLS_MD_SHA256);
  return mbedtls_md_hmac(sha256, key->bytes, sizeof key->bytes, bytes, length, hmac) == 0;
}
#endif

/** Appends the signature to the `length` bytes that it covers. Returns the length of the datagram; 0 if it could not be signed. */
static size_t append_signature(uint8_t *datagram, size_t length, const wp_key_t *key) {
  uint8_t hmac[HMAC_BYTES];
  if (!hmac_sha256(key, datagram, length, hmac)) return 0;
  memcpy(datagram + length, hmac, WP_SIGNATURE_BYTES);
  return length + WP_SIGNATURE_BYTES;
}

static void send_frames(void *context) {
  (void)context;
  wp_key_t key;
  const bool is_signed = wp_read_key(CONFIG_WAVEPOSE_KEY, &key);
  if (!is_signed) ESP_LOGW(TAG, "there is no valid key: datagrams are not signed");
  const uint32_t epoch = next_epoch();
  const struct sockaddr_in target = {
    .sin_family = AF_INET,
    .sin_port = htons(CONFIG_WAVEPOSE_TARGET_PORT),
    .sin_addr.s_addr = inet_addr(CONFIG_WAVEPOSE_TARGET_HOST),
  };
  const int udp = socket(AF_INET, SOCK_DGRAM, IPPROTO_IP);
  if (udp < 0) {
    ESP_LOGE(TAG, "the socket could not be opened: restart");
    esp_restart();
  }
  uint32_t sequence = 0;
  uint32_t rejected = 0;
  waiting_t item;
  uint8_t datagram[WP_DATAGRAM_BYTES];
  for (;;) {
    xQueueReceive(waiting, &item, portMAX_DELAY);
    size_t length = wp_write_frame(datagram, &item.frame, item.csi, item.csi_bytes);
    if (length == 0) rejected++;
    // At 1, 2, 4, 8 and so on.
    if (length == 0 && (rejected & (rejected - 1)) == 0) {
      ESP_LOGW(TAG, "%u frames rejected: the last has %u bytes of CSI, which is no supported layout", (unsigned)rejected,
               (unsigned)item.csi_bytes);
    }
    if (is_signed && length > 0) {
      length = wp_write_stamp(datagram, length, key.number, epoch, sequence++);
      length = append_signature(datagram, length, &key);
    }
    // A datagram that the network does not take is lost: the next one is newer.
    if (length > 0) sendto(udp, datagram, length, 0, (const struct sockaddr *)&target, sizeof target);
  }
}

/** Pings the gateway for ever, so that its answers can be measured. */
static void start_ping(esp_ip4_addr_t gateway) {
  if (ping != NULL) return;
  esp_ping_config_t config = ESP_PING_DEFAULT_CONFIG();
  config.count = ESP_PING_COUNT_INFINITE;
  config.interval_ms = CONFIG_WAVEPOSE_PING_INTERVAL_MS;
  config.target_addr.type = IPADDR_TYPE_V4;
  config.target_addr.u_addr.ip4.addr = gateway.addr;
  const esp_ping_callbacks_t callbacks = {0};
  ESP_ERROR_CHECK(esp_ping_new_session(&config, &callbacks, &ping));
  ESP_ERROR_CHECK(esp_ping_start(ping));
}

#if CONFIG_SOC_WIFI_HE_SUPPORT
#if ESP_IDF_VERSION_MAJOR >= 6
#define BANDWIDTH WIFI_BW20
#else
#define BANDWIDTH WIFI_BW_HT20
#endif

/** Joins with 802.11n and 20 MHz at most: a chip with Wi-Fi 6 has other bins for packets of 40 MHz or of later standards. */
static void limit_packets(void) {
#if CONFIG_SOC_WIFI_SUPPORT_5G
  wifi_protocols_t protocols = {
    .ghz_2g = WIFI_PROTOCOL_11B | WIFI_PROTOCOL_11G | WIFI_PROTOCOL_11N,
    .ghz_5g = WIFI_PROTOCOL_11A | WIFI_PROTOCOL_11N,
  };
  wifi_bandwidths_t bandwidths = {.ghz_2g = BANDWIDTH, .ghz_5g = BANDWIDTH};
  ESP_ERROR_CHECK(esp_wifi_set_protocols(WIFI_IF_STA, &protocols));
  ESP_ERROR_CHECK(esp_wifi_set_bandwidths(WIFI_IF_STA, &bandwidths));
#else
  ESP_ERROR_CHECK(esp_wifi_set_protocol(WIFI_IF_STA, WIFI_PROTOCOL_11B | WIFI_PROTOCOL_11G | WIFI_PROTOCOL_11N));
  ESP_ERROR_CHECK(esp_wifi_set_bandwidth(WIFI_IF_STA, BANDWIDTH));
#endif
}
#endif

static void start_csi(void) {
#if CONFIG_SOC_WIFI_HE_SUPPORT && CONFIG_SOC_WIFI_MAC_VERSION_NUM == 3
  // Of this chip (C5), the values of the legacy field have 12 bits.
  const wifi_csi_config_t config = {.enable = 1, .acquire_csi_ht20 = 1};
#elif CONFIG_SOC_WIFI_HE_SUPPORT
  const wifi_csi_config_t config = {.enable = 1, .acquire_csi_legacy = 1, .acquire_csi_ht20 = 1};
#else
  const wifi_csi_config_t config = {.lltf_en = true, .htltf_en = false, .stbc_htltf2_en = false, .channel_filter_en = false};
#endif
  ESP_ERROR_CHECK(esp_wifi_set_csi_config(&config));
  ESP_ERROR_CHECK(esp_wifi_set_csi_rx_cb(on_csi, NULL));
  ESP_ERROR_CHECK(esp_wifi_set_csi(true));
}

static void on_event(void *context, esp_event_base_t base, int32_t id, void *data) {
  (void)context;
#if CONFIG_SOC_WIFI_HE_SUPPORT
  if (base == WIFI_EVENT && id == WIFI_EVENT_STA_START) limit_packets();
#endif
  if (base == WIFI_EVENT && (id == WIFI_EVENT_STA_START || id == WIFI_EVENT_STA_DISCONNECTED)) {
    esp_wifi_connect();
  } else if (base == IP_EVENT && id == IP_EVENT_STA_GOT_IP) {
    wifi_ap_record_t joined;
    if (esp_wifi_sta_get_ap_info(&joined) == ESP_OK) memcpy(access_point, joined.bssid, sizeof access_point);
    ESP_LOGI(TAG, "joined; node %d sends to %s:%d", CONFIG_WAVEPOSE_NODE_NUMBER, CONFIG_WAVEPOSE_TARGET_HOST,
             CONFIG_WAVEPOSE_TARGET_PORT);
    start_csi();
    start_ping(((const ip_event_got_ip_t *)data)->ip_info.gw);
  }
}

void app_main(void) {
  esp_err_t flash = nvs_flash_init();
  if (flash == ESP_ERR_NVS_NO_FREE_PAGES || flash == ESP_ERR_NVS_NEW_VERSION_FOUND) {
    // The epoch starts again: the service then rejects the key as replayed. Enrol the node again.
    ESP_ERROR_CHECK(nvs_flash_erase());
    flash = nvs_flash_init();
  }
  ESP_ERROR_CHECK(flash);
  ESP_ERROR_CHECK(esp_netif_init());
  ESP_ERROR_CHECK(esp_event_loop_create_default());
  esp_netif_create_default_wifi_sta();
  const wifi_init_config_t init = WIFI_INIT_CONFIG_DEFAULT();
  ESP_ERROR_CHECK(esp_wifi_init(&init));
  ESP_ERROR_CHECK(esp_event_handler_register(WIFI_EVENT, ESP_EVENT_ANY_ID, on_event, NULL));
  ESP_ERROR_CHECK(esp_event_handler_register(IP_EVENT, IP_EVENT_STA_GOT_IP, on_event, NULL));
  wifi_config_t station = {.sta = {.ssid = CONFIG_WAVEPOSE_SSID, .password = CONFIG_WAVEPOSE_PASSWORD}};
  ESP_ERROR_CHECK(esp_wifi_set_mode(WIFI_MODE_STA));
  ESP_ERROR_CHECK(esp_wifi_set_config(WIFI_IF_STA, &station));
  // A sleeping radio measures nothing.
  ESP_ERROR_CHECK(esp_wifi_set_ps(WIFI_PS_NONE));
  waiting = xQueueCreate(FRAMES_WAITING, sizeof(waiting_t));
  ESP_ERROR_CHECK(waiting == NULL ? ESP_ERR_NO_MEM : ESP_OK);
  if (xTaskCreate(send_frames, "send", 4096, NULL, 5, NULL) != pdPASS) ESP_ERROR_CHECK(ESP_ERR_NO_MEM);
  ESP_ERROR_CHECK(esp_wifi_start());
}
