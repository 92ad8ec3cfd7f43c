/**
 * What a file is that is not a capture of a known format, and what its user can do.
 *
 * Owns the table of other kinds of files by their first bytes, and the description of text. Boundary: `detect-format.ts` has decided
 * before that no decoder reads the file. Names from the file are shortened, and letters that a terminal could interpret are replaced.
 */

/** The formats of `detect-format.ts`, for a message. */
const knownFormats =
  "csv or serial logs of ESP32, csv tables and JSON lines with a time and CSI, Intel 5300 and Atheros .dat, Nexmon pcap, beamforming feedback as pcap, " +
  "FeitCSI and PicoScenes .csi, RuView JSON lines, NumPy .npz, MATLAB .mat"

const importAdvice = "To import its CSI, write it to a NumPy .npz as docs/sources.md describes."
const unpackAdvice = "Unpack it first, and name a capture that it contains."
const otherAdvice = "Name the recording itself."

interface Description {
  /** With its article. */
  readonly what: string
  readonly advice: string
}

interface Kind extends Description {
  /** First bytes: a text of Latin-1. */
  readonly magic: string
  /** Offset of the first bytes; 0 by default. */
  readonly at?: number
  /** What the first bytes must also contain. */
  readonly contains?: string
}

const packetAdvice =
  "A packet capture is read if its first packets have CSI of Nexmon, or beamforming feedback that was captured in monitor mode."
const pcap = { what: "a packet capture (pcap) that does not begin with CSI", advice: packetAdvice }

/** Files by their first bytes. The first row that fits decides. */
const kinds: ReadonlyArray<Kind> = [
  { what: "an Excel workbook (xlsx)", advice: importAdvice, magic: "PK\x03\x04", contains: "[Content_Types].xml" },
  { what: "a zip archive", advice: unpackAdvice, magic: "PK\x03\x04" },
  { what: "an empty zip archive", advice: otherAdvice, magic: "PK\x05\x06" },
  { what: "a gzip file", advice: unpackAdvice, magic: "\x1f\x8b" },
  { what: "a bzip2 file", advice: unpackAdvice, magic: "BZh" },
  { what: "an xz file", advice: unpackAdvice, magic: "\xfd7zXZ\0" },
  { what: "a zstd file", advice: unpackAdvice, magic: "\x28\xb5\x2f\xfd" },
  { what: "a 7z archive", advice: unpackAdvice, magic: "7z\xbc\xaf\x27\x1c" },
  { what: "a rar archive", advice: unpackAdvice, magic: "Rar!\x1a\x07" },
  { what: "a tar archive", advice: unpackAdvice, magic: "ustar", at: 257 },
  {
    what: "a single NumPy array (.npy)",
    advice: "To import it as CSI, write it to a NumPy .npz with its times as docs/sources.md describes.",
    magic: "\x93NUMPY",
  },
  {
    what: "a MATLAB 7.3 file",
    advice:
      "Load it in MATLAB and save its variables with the option -v7, in one of the forms that docs/sources.md describes.",
    magic: "MATLAB 7.3 MAT-file",
  },
  { what: "an HDF5 file", advice: importAdvice, magic: "\x89HDF\r\n\x1a\n" },
  { what: "a Parquet file", advice: importAdvice, magic: "PAR1" },
  { what: "an SQLite database", advice: importAdvice, magic: "SQLite format 3\0" },
  { ...pcap, magic: "\xd4\xc3\xb2\xa1" },
  { ...pcap, magic: "\xa1\xb2\xc3\xd4" },
  { ...pcap, magic: "\x4d\x3c\xb2\xa1" },
  { ...pcap, magic: "\xa1\xb2\x3c\x4d" },
  { ...pcap, what: "a packet capture (pcapng) that does not begin with CSI", magic: "\x0a\x0d\x0d\x0a" },
  { what: "a PNG picture", advice: otherAdvice, magic: "\x89PNG" },
  { what: "a JPEG picture", advice: otherAdvice, magic: "\xff\xd8\xff" },
  { what: "a PDF document", advice: otherAdvice, magic: "%PDF-" },
  { what: "a program (ELF)", advice: otherAdvice, magic: "\x7fELF" },
]

/** Bytes of which the kind is decided. */
const lookedAtBytes = 8192
/** Maximum number of listed columns, and of letters of each. */
const namesMax = 5
const lettersMax = 32
/** Lines of a csv that must have as many fields as the first. */
const comparedLines = 3
/** Share of letters of text that may be in another encoding. */
const foreignLettersMax = 0.1
/** First bytes of unknown binary data that are shown. */
const shownBytes = 8

const begins = (text: string, { at = 0, contains, magic }: Kind): boolean =>
  text.startsWith(magic, at) && (contains === undefined || text.includes(contains))

/** Whether it is a control character that text does not have: white space and the escape of terminal colours may occur. */
const isControl = (code: number): boolean => code === 127 || (code < 32 && code !== 27 && (code < 9 || code > 13))

/** Whether it is text: few letters are of another encoding. */
const isText = (text: string): boolean =>
  !Array.from(text).some((letter) => isControl(letter.charCodeAt(0))) &&
  foreignLettersMax * text.length >= text.split("\ufffd").length - 1

/** The first bytes as text; null for binary data. UTF-16 is read if it has a byte order mark. */
const textOf = (head: Uint8Array): string | null => {
  const start = head.subarray(0, lookedAtBytes)
  const encoding = start[0] === 0xff && start[1] === 0xfe
    ? "utf-16le"
    : start[0] === 0xfe && start[1] === 0xff
    ? "utf-16be"
    : "utf-8"
  // With `stream`, a letter that is cut at the end is left out.
  const text = new TextDecoder(encoding).decode(start, { stream: true })
  return isText(text) ? text : null
}

/** The fields of a csv line. A comma within quotes separates nothing. */
const fieldsOf = (line: string, separator: string): ReadonlyArray<string> =>
  (line.match(/"(?:[^"]|"")*"?|[^"]/g) ?? []).reduce<Array<string>>((fields, part) => {
    if (part === separator) fields.push("")
    else fields[fields.length - 1] += part
    return fields
  }, [""])

const shortened = (name: string): string => {
  const plain = name.replace(/^"|"$/g, "").replace(/[^\p{L}\p{N} _.,:;#()/%+-]/gu, "?").trim()
  return plain.length > lettersMax ? `${plain.slice(0, lettersMax)}…` : plain
}

/** Whether the first line of a csv is the names of its columns. */
const areNames = (fields: ReadonlyArray<string>): boolean => !fields.some((field) => /^"?\s*[-+\d.[{]/.test(field))

/** The fields of the first line of a csv; null for other text. */
const csvFieldsOf = (text: string): ReadonlyArray<string> | null => {
  const lines = text.split(/\r?\n/)
  // The last line may be cut.
  if (lines.length > 1) lines.pop()
  const rows = lines.filter((line) => line.trim() !== "" && !line.startsWith("#")).slice(0, comparedLines)
  for (const separator of [",", ";", "\t"]) {
    const [first = [], ...others] = rows.map((line) => fieldsOf(line, separator))
    if (first.length < 2) continue
    const areAlike = others.length > 0 && others.every(({ length }) => length === first.length)
    if (areAlike || (areNames(first) && first.every((field) => /^"?[\w.-]+"?$/.test(field)))) return first
  }
  return null
}

const listed = (fields: ReadonlyArray<string>): string => {
  const names = fields.map(shortened).filter((name) => name !== "")
  const more = fields.length - Math.min(names.length, namesMax)
  return `${names.slice(0, namesMax).join(", ")}${more > 0 ? ` and ${more} more` : ""}`
}

const describeText = (text: string): Description => {
  if (text.includes("CSI_DATA")) {
    return { what: "text with CSI_DATA, but without the fields of ESP32-CSI-Tool or esp-csi", advice: importAdvice }
  }
  if (/^\s*(?:\{\s*["}]|\[\s*[\]{["\d-])/.test(text)) {
    return {
      what: "JSON without the fields of a RuView recording, or a time and a list of CSI in each line",
      advice: importAdvice,
    }
  }
  const fields = csvFieldsOf(text)
  if (fields === null) return { what: "text without CSI records of a known form", advice: otherAdvice }
  const columns = areNames(fields) ? `the columns ${listed(fields)}` : `${fields.length} columns without names`
  return { what: `a csv with ${columns}, but without records of a known ESP32 logger`, advice: importAdvice }
}

const describeBinary = (head: Uint8Array): Description => {
  const bytes = Array.from(head.subarray(0, shownBytes), (byte) => byte.toString(16).padStart(2, "0")).join(" ")
  return { what: `binary data of an unknown kind (first bytes ${bytes})`, advice: otherAdvice }
}

/** What a file with these first bytes is, and what to do: the end of a message that begins with the file's name. */
export const describeUnknownFile = (head: Uint8Array): string => {
  const latin = Array.from(head.subarray(0, lookedAtBytes), (byte) => String.fromCharCode(byte)).join("")
  const text = textOf(head)
  const { advice, what } = kinds.find((kind) => begins(latin, kind)) ??
    (text === null ? describeBinary(head) : describeText(text))
  return `it is ${what}. ${advice} Known formats: ${knownFormats}.`
}
