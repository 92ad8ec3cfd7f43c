/** The first byte of the frame control field of an 802.11 packet: its type and subtype (IEEE 802.11-2020, 9.2.4.1.3). */

const typeOf = (frameControl: number): number => (frameControl >> 2) & 3

export const isControl = (frameControl: number): boolean => typeOf(frameControl) === 1
export const isData = (frameControl: number): boolean => typeOf(frameControl) === 2
/** Data with a traffic class. */
export const isQosData = (frameControl: number): boolean => isData(frameControl) && (frameControl & 0x80) !== 0
