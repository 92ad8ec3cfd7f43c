/**
 * The columns of a csv table of CSI, by their names in its first line, or the fields of a line of JSON.
 *
 * Owns the names that loggers use. A table has a column of times, and its values either as a list in one column or in numbered columns
 * of their own.
 */
import { unitOfName } from "./table-time.ts"
import type { ValueKind } from "./table-values.ts"

/** Columns that hold one number each, by name. */
interface NumberColumns {
  readonly rssi: number | null
  readonly noiseFloor: number | null
  readonly channel: number | null
  readonly secondaryChannel: number | null
  readonly signalMode: number | null
  readonly bandwidth: number | null
  readonly stbc: number | null
  /** Number of values. */
  readonly count: number | null
}

export interface TableColumns extends NumberColumns {
  readonly separator: string
  readonly time: number
  readonly timeName: string
  /** The unit of the time; null if only its values show it. */
  readonly timeUnit: number | null
  /** The times are those of an ESP32's packet: a 32-bit counter. */
  readonly isPacketTime: boolean
  /** The sender that a row was heard from: its address or its name. */
  readonly sender: number | null
  /** The receiver that a row is from. */
  readonly receiver: number | null
  /** One column with a list, or the columns of the values in their order. */
  readonly values: number | ReadonlyArray<number>
  /** A buffer in one column is in hexadecimal. */
  readonly kind: Exclude<ValueKind, "bytes">
}

const separators = [",", ";", "\t"]
/** Fewest columns of values that are CSI and not statistics. */
export const valueColumnsMin = 30

const listNames = /^((raw_)?csi(_raw)?(_(data|bytes|values|buf|buffer|array|amplitudes?))?|raw_data|data)$/
const packedNames = /^((raw_)?csi(_raw)?(_(data|bytes|values|buf|buffer|array))?|raw|iq)_(b64|base64)$/
/** Whether a column of this normalised name has a list, or its bytes in base64 or hexadecimal. */
export const isListName = (name: string): boolean => listNames.test(name) || packedNames.test(name)
const hexNames = /^(csi|raw|csi_raw|raw_csi|csi_data)_hex$/
const amplitudePrefix = /^(amp|ampl|amplitude|csi_amp|csi_amplitude|sc_amp|mag|magnitude)_?$/
/** The columns of pcap-to-csv. Other tables number columns of anything so, so only complex numbers are CSI. */
const complexPrefix = /^_$/
const unstatedPrefix = /^(csi|sub|sc|subcarrier|subc|csi_data|data|h)_?$/
const firstPart = /^(i|re|real|csi_i|csi_re|csi_real)_?$/
const secondPart = /^(q|im|imag|csi_q|csi_im|csi_imag)_?$/

/** Names of times, the best first: the clock of the device, then that of the host. */
const timeNames = [
  /^(local_timestamp|rx_timestamp(_us|_ms)?)$/,
  /^(esp|device|local|timer|chip|dev|wifi)_(timestamp_|time_)?(us|ms)$/,
  /^(esp|device)_timestamp$/,
  /^(timestamps?|times?|ts|t)_(us|ms|ns|s|sec)$/,
  /^(host|unix|pc|recv|rx|epoch|system|monotonic|wall)_(.*_)?(us|ms|ns|s|time|timestamp)$/,
  /^(timestamp|time|ts|datetime|date_time|unix_time|unix_timestamp|real_timestamp)$/,
  // Of arrays. In a line of JSON, `t` may be a type.
  /^(timestamps|times|t)$/,
]
/**
 * Names of senders, the best first: a table with both ends of a link may call the receiver's address just that, and one of a whole network has the
 * address of the network beside that of each station.
 */
const senderNames = [
  /^((tx|transmitter|sender)_(id|mac|mac_address|addr|address|node|name)|transmitter|sender)$/,
  /^(source|src)_mac$/,
  /^mac(_address|_addr)?$/,
  /^((peer|ap)_mac|bssid)$/,
  // It may count the antennas of one.
  /^(tx|transmitter|sender)_index$/,
]
/** Columns that only the fields of an ESP32's packet have. */
const packetNames = ["sig_len", "rx_state"]

export const normalised = (name: string): string =>
  name.replace(/^\ufeff/, "").replace(/^"|"$/g, "").trim().toLowerCase().replace(/[\s-]+/g, "_")

const indexOf = (names: ReadonlyArray<string>, pattern: RegExp): number | null => {
  const at = names.findIndex((name) => pattern.test(name))
  return at < 0 ? null : at
}

/** The first column of the best name; null if there is none. */
const bestOf = (names: ReadonlyArray<string>, patterns: ReadonlyArray<RegExp>): number | null =>
  patterns.map((pattern) => indexOf(names, pattern)).find((at) => at !== null) ?? null

/** The names of times among these normalised names, the best first. */
export const timeNamesIn = (
  names: ReadonlyArray<string>,
): ReadonlyArray<string> => [...new Set(timeNames.flatMap((pattern) => names.filter((name) => pattern.test(name))))]

/** The numbered columns whose names begin like this, by their numbers. */
const numbered = (names: ReadonlyArray<string>, prefix: RegExp): ReadonlyArray<number> =>
  names.flatMap((name, column) => {
    const parts = /^(.*?)(\d+)$/.exec(name)
    return parts !== null && prefix.test(parts[1]!) ? [{ column, number: Number(parts[2]) }] : []
  }).sort((a, b) => a.number - b.number).map(({ column }) => column)

/** The columns of the values by these normalised names, those of packed bytes last; null if there are none. */
export const valuesOf = (names: ReadonlyArray<string>): Pick<TableColumns, "values" | "kind"> | null => {
  const list = indexOf(names, listNames)
  if (list !== null) return { values: list, kind: "unstated" }
  const hex = indexOf(names, hexNames)
  if (hex !== null) return { values: hex, kind: "buffer" }
  const first = numbered(names, firstPart)
  const second = numbered(names, secondPart)
  if (first.length >= valueColumnsMin && first.length === second.length) {
    return { values: first.flatMap((column, i) => [column, second[i]!]), kind: "pairs" }
  }
  const amplitudes = numbered(names, amplitudePrefix)
  if (amplitudes.length >= valueColumnsMin) return { values: amplitudes, kind: "amplitudes" }
  const unstated = numbered(names, unstatedPrefix)
  if (unstated.length >= valueColumnsMin) return { values: unstated, kind: "unstated" }
  const packed = indexOf(names, packedNames)
  return packed === null ? null : { values: packed, kind: "unstated" }
}

/** The numbered columns of complex numbers; null if there are none. */
const complexOf = (names: ReadonlyArray<string>): Pick<TableColumns, "values" | "kind"> | null => {
  const values = numbered(names, complexPrefix)
  return values.length >= valueColumnsMin ? { values, kind: "complex" } : null
}

/** The columns of a table that begins with this line; null if it is no table of CSI with times. */
export const tableColumnsOf = (line: string, preferredTime: string | null = null): TableColumns | null => {
  const separator = separators.find((one) => line.includes(one))
  if (separator === undefined) return null
  return columnsOfNames(line.split(separator).map(normalised), separator, preferredTime)
}

/**
 * The columns with these normalised names; null if they are none of CSI with times.
 *
 * @param preferredTime the column of times, if there is one of this name
 */
export const columnsOfNames = (
  names: ReadonlyArray<string>,
  separator: string,
  preferredTime: string | null = null,
): TableColumns | null => {
  // In a line of JSON, complex numbers would be texts.
  const values = valuesOf(names) ?? (separator === "" ? null : complexOf(names))
  const preferred = names.findIndex((name) => name === preferredTime)
  const time = preferred < 0 ? bestOf(names, timeNames) : preferred
  if (values === null || time === null) return null
  const timeName = names[time]!
  const isPacketTime = timeName === "local_timestamp" ||
    (timeName === "timestamp" && packetNames.every((name) => names.includes(name)))
  return {
    ...values,
    separator,
    time,
    timeName,
    timeUnit: isPacketTime || timeName === "esp_timestamp" ? 1 : unitOfName(timeName),
    isPacketTime,
    sender: bestOf(names, senderNames),
    // Not an address: that of a frame's receiver is not the one that heard it.
    receiver: indexOf(names, /^(node|node_id|receiver|(rx|receiver)_(id|node|name|index))$/),
    rssi: indexOf(names, /^rssi(_dbm)?$/),
    noiseFloor: indexOf(names, /^noise_?floor$/),
    channel: indexOf(names, /^channel$/),
    secondaryChannel: indexOf(names, /^secondary_channel$/),
    signalMode: indexOf(names, /^sig_mode$/),
    bandwidth: indexOf(names, /^(bandwidth|cwb|bw)$/),
    stbc: indexOf(names, /^stbc$/),
    count: indexOf(names, /^(data_length|csi_len)$/),
  }
}
