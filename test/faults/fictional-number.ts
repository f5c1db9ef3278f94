/** A number of the range reserved for fiction, by index; the first eighty reach the emulator's scripted callees. */
export function fictionalNumber(index: number): string {
  const number = (area: number, last: number) => `+1${area}55501${String(last).padStart(2, '0')}`;
  if (index < 80) return number(202, index);
  const area = areaCodes[Math.floor(index / 100) % areaCodes.length];
  if (area === undefined) throw new RangeError('there is no such number');
  return number(area, index % 100);
}

const areaCodes = [
  212, 213, 214, 215, 216, 217, 218, 219, 224, 225, 228, 229, 231, 234, 239, 240, 248, 251, 252, 253, 254,
  256, 260, 262, 267, 269, 270, 276, 281, 301, 302, 303, 304, 305, 307, 308, 309, 310, 312, 313, 314, 315,
  316, 317, 318, 319, 320, 321, 323, 325, 330, 334, 336, 337, 339, 347, 351, 352, 360, 361, 386, 401, 402,
  404, 405, 406, 407, 408, 409, 410, 412, 413, 414, 415, 417, 419, 423, 424, 425, 430, 432, 434, 435, 440,
  443, 469, 478, 479, 480, 484, 501, 502, 503, 504, 505, 507, 508, 509, 510, 512, 513, 515, 516, 517, 518,
  520,
];
