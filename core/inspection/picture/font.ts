/**
 * The font of pictures: printable ASCII as 5 x 9 bitmaps, so that a picture needs no font file and no native library.
 *
 * A glyph is nine rows from the top, two of them below the base line; a row is one digit of base 32 whose highest bit is the
 * leftmost pixel.
 */

export const glyphWidth = 5
export const glyphHeight = 9

/** Glyphs of the printable characters but the space, in the order of their codes. */
const glyphs = (
  "444440400 aa0000000 aavavaa00 4fke5u400 op248j300 cik8lid00 440000000 248884200 842224800 04lel4000 " +
  "044v44000 000004480 000v00000 000000400 11248gg00 ehjlphe00 4c4444e00 eh1248v00 eh161he00 26aiv2200 " +
  "vgu11he00 egguhhe00 v12448800 ehhehhe00 ehhf11e00 004404400 004404480 248g84200 00v0v0000 842124800 " +
  "eh1240400 ehnlnge00 ehhvhhh00 uhhuhhu00 ehggghe00 uhhhhhu00 vgguggv00 vgguggg00 ehgnhhe00 hhhvhhh00 " +
  "e44444e00 72222ic00 hikokih00 ggggggv00 hrllhhh00 hppljjh00 ehhhhhe00 uhhuggg00 ehhhlid00 uhhukih00 " +
  "fgge11u00 v44444400 hhhhhhe00 hhhhha400 hhhllla00 hha4ahh00 hha444400 v1248gv00 e88888e00 gg8421100 " +
  "e22222e00 4ah000000 0000000v0 840000000 00e1fhf00 gguhhhu00 00egghe00 11fhhhf00 00ehvge00 68u888800 " +
  "00fhhhf1e gguhhhh00 40c444e00 2062222ic ggikoki00 c44444e00 00qllll00 00uhhhh00 00ehhhe00 00uhhhugg " +
  "00fhhhf11 00mpggg00 00fge1u00 88u888600 00hhhhf00 00hhha400 00hllla00 00ha4ah00 00hhhhf1e 00v248v00 " +
  "644844600 444444440 c44244c00 0009m0000"
).split(" ")

const firstCode = "!".charCodeAt(0)
const blank = "0".repeat(glyphHeight)
/** Stands for a character that the font lacks. */
const unknown = glyphs["?".charCodeAt(0) - firstCode]!

/** Rows of a character, each a number of `glyphWidth` bits. */
export const glyphRows = (character: string): ReadonlyArray<number> => {
  const glyph = character === " " ? blank : glyphs[character.charCodeAt(0) - firstCode] ?? unknown
  return Array.from(glyph, (digit) => parseInt(digit, 32))
}
