import { parsePhoneNumberFromString } from 'libphonenumber-js/max';

/** Area codes of the USA and Canada by time zone; those that lie in two are listed under both. */
const northAmerica: Readonly<Record<string, string>> = {
  'America/New_York':
    '201 202 203 207 212 215 216 220 223 227 229 231 234 239 240 248 252 260 267 269 270 272 276 283 301 302 304 305 313 315 317 321 326 329 330 332 336 339 347 351 352 364 380 386 401 404 407 410 412 413 419 423 434 440 443 445 448 463 470 472 475 478 484 502 508 513 516 517 518 540 551 561 567 570 571 574 582 585 586 603 606 607 609 610 614 616 617 624 631 640 645 646 656 667 678 679 680 681 686 689 703 704 706 716 717 718 724 727 728 729 732 734 740 743 754 757 762 765 770 771 772 774 781 786 802 803 804 810 812 813 814 821 826 828 835 838 839 843 845 848 850 854 856 857 859 862 863 864 865 878 904 906 908 910 912 914 917 919 929 930 934 937 941 943 947 948 954 959 973 978 980 984 989',
  'America/Chicago':
    '205 210 214 217 218 219 224 225 228 251 254 256 262 270 274 281 308 309 312 314 316 318 319 320 325 327 331 334 337 346 353 361 364 402 405 409 414 417 423 430 432 447 448 464 469 479 501 504 507 512 515 531 534 539 557 563 572 573 580 601 605 608 612 615 618 620 629 630 636 641 651 659 660 662 682 701 708 712 713 715 726 729 730 731 737 763 769 773 779 785 806 812 815 816 817 830 832 847 850 861 870 872 901 903 906 913 918 920 930 931 936 938 940 945 952 956 972 975 979 985',
  'America/Denver':
    '208 303 307 308 385 406 432 435 458 505 541 575 605 620 701 719 720 775 785 801 915 928 970 983 986',
  'America/Phoenix': '480 520 602 623 928',
  'America/Los_Angeles':
    '206 208 209 213 253 279 310 323 341 350 357 360 369 408 415 424 425 442 458 503 509 510 530 541 559 562 564 619 626 628 650 657 661 669 702 707 714 725 747 760 775 805 818 820 831 837 840 858 909 916 925 949 951 971 986',
  'America/Anchorage': '907',
  'Pacific/Honolulu': '808',
  'America/Toronto':
    '226 249 263 289 343 354 365 367 382 416 418 437 438 450 468 514 519 548 579 581 613 647 683 705 742 753 807 819 867 873 905 942',
  'America/Winnipeg': '204 431 584 807',
  'America/Regina': '306 474 639',
  'America/Edmonton': '368 403 587 780 825 867 250',
  'America/Vancouver': '236 250 257 604 672 778 867',
  'America/Halifax': '428 506 782 902',
  'America/St_Johns': '709 879',
};

/** Countries with one time zone, or one where nearly everybody lives. */
const countries: Readonly<Record<string, string>> = {
  AE: 'Asia/Dubai',
  AR: 'America/Argentina/Buenos_Aires',
  AT: 'Europe/Vienna',
  BD: 'Asia/Dhaka',
  BE: 'Europe/Brussels',
  BG: 'Europe/Sofia',
  BO: 'America/La_Paz',
  BS: 'America/Nassau',
  CH: 'Europe/Zurich',
  CN: 'Asia/Shanghai',
  CO: 'America/Bogota',
  CR: 'America/Costa_Rica',
  CU: 'America/Havana',
  CY: 'Asia/Nicosia',
  CZ: 'Europe/Prague',
  DE: 'Europe/Berlin',
  DK: 'Europe/Copenhagen',
  DO: 'America/Santo_Domingo',
  EE: 'Europe/Tallinn',
  EG: 'Africa/Cairo',
  FI: 'Europe/Helsinki',
  FR: 'Europe/Paris',
  GB: 'Europe/London',
  GH: 'Africa/Accra',
  GR: 'Europe/Athens',
  GT: 'America/Guatemala',
  HK: 'Asia/Hong_Kong',
  HN: 'America/Tegucigalpa',
  HR: 'Europe/Zagreb',
  HU: 'Europe/Budapest',
  IE: 'Europe/Dublin',
  IL: 'Asia/Jerusalem',
  IN: 'Asia/Kolkata',
  IS: 'Atlantic/Reykjavik',
  IT: 'Europe/Rome',
  JM: 'America/Jamaica',
  JP: 'Asia/Tokyo',
  KE: 'Africa/Nairobi',
  KR: 'Asia/Seoul',
  KW: 'Asia/Kuwait',
  LI: 'Europe/Vaduz',
  LK: 'Asia/Colombo',
  LT: 'Europe/Vilnius',
  LU: 'Europe/Luxembourg',
  LV: 'Europe/Riga',
  MA: 'Africa/Casablanca',
  MT: 'Europe/Malta',
  MY: 'Asia/Kuala_Lumpur',
  NG: 'Africa/Lagos',
  NI: 'America/Managua',
  NL: 'Europe/Amsterdam',
  NO: 'Europe/Oslo',
  NP: 'Asia/Kathmandu',
  PA: 'America/Panama',
  PE: 'America/Lima',
  PH: 'Asia/Manila',
  PK: 'Asia/Karachi',
  PL: 'Europe/Warsaw',
  PR: 'America/Puerto_Rico',
  PY: 'America/Asuncion',
  QA: 'Asia/Qatar',
  RO: 'Europe/Bucharest',
  RS: 'Europe/Belgrade',
  SA: 'Asia/Riyadh',
  SE: 'Europe/Stockholm',
  SG: 'Asia/Singapore',
  SI: 'Europe/Ljubljana',
  SK: 'Europe/Bratislava',
  SV: 'America/El_Salvador',
  TH: 'Asia/Bangkok',
  TN: 'Africa/Tunis',
  TR: 'Europe/Istanbul',
  TT: 'America/Port_of_Spain',
  TW: 'Asia/Taipei',
  UA: 'Europe/Kyiv',
  UY: 'America/Montevideo',
  VE: 'America/Caracas',
  VN: 'Asia/Ho_Chi_Minh',
  ZA: 'Africa/Johannesburg',
};

/** Countries with several, by how national numbers begin; the first entry that fits counts. */
const regions: Readonly<Record<string, readonly (readonly [RegExp, string])[]>> = {
  AU: [
    [/^2/, 'Australia/Sydney'],
    [/^3/, 'Australia/Melbourne'],
    [/^7/, 'Australia/Brisbane'],
    [/^8/, 'Australia/Adelaide Australia/Darwin Australia/Perth'],
    [/^/, 'Australia/Sydney Australia/Brisbane Australia/Adelaide Australia/Perth'],
  ],
  BR: [
    [/^68/, 'America/Rio_Branco'],
    [/^69/, 'America/Porto_Velho'],
    [/^6[56]/, 'America/Cuiaba'],
    [/^67/, 'America/Campo_Grande'],
    [/^9[27]/, 'America/Manaus'],
    [/^95/, 'America/Boa_Vista'],
    [/^/, 'America/Sao_Paulo'],
  ],
  CL: [
    [/^61/, 'America/Punta_Arenas'],
    [/^/, 'America/Santiago'],
  ],
  EC: [[/^/, 'America/Guayaquil']],
  ES: [
    [/^(?:8|9)(?:22|28)/, 'Atlantic/Canary'],
    [/^9|^8/, 'Europe/Madrid'],
    // Mobile numbers are the same on the islands, where few live.
    [/^/, 'Europe/Madrid'],
  ],
  ID: [[/^/, 'Asia/Jakarta Asia/Makassar Asia/Jayapura']],
  KZ: [[/^/, 'Asia/Almaty']],
  MX: [
    [/^(?:55|56|33|81|222|442|477|999)/, 'America/Mexico_City'],
    [/^(?:664|686|646)/, 'America/Tijuana'],
    [/^998/, 'America/Cancun'],
    [/^662/, 'America/Hermosillo'],
    [/^/, 'America/Mexico_City America/Hermosillo America/Tijuana America/Cancun'],
  ],
  NZ: [[/^/, 'Pacific/Auckland']],
  PT: [
    [/^29[256]/, 'Atlantic/Azores'],
    [/^/, 'Europe/Lisbon'],
  ],
  RU: [
    [/^49[589]/, 'Europe/Moscow'],
    [/^812/, 'Europe/Moscow'],
    [/^/, 'Europe/Moscow Asia/Yekaterinburg Asia/Novosibirsk Asia/Vladivostok'],
  ],
};

const everywhereIn: Readonly<Record<string, readonly string[]>> = {
  US: ['America/New_York', 'America/Chicago', 'America/Denver', 'America/Los_Angeles'],
  CA: ['America/Halifax', 'America/Toronto', 'America/Winnipeg', 'America/Edmonton', 'America/Vancouver'],
};

/**
 * Where the phone with this number is at home, as IANA time zones: one where the number tells, several where it may be
 * any of them, none where nothing is known. Numbers move with people, so even one is only likely.
 * @param phone E.164
 */
export function timeZonesOf(phone: string): readonly string[] {
  const number = parsePhoneNumberFromString(phone);
  // Codes of the USA that are newer than what is known of numbers are in our own list.
  const country = number?.country ?? (number?.countryCallingCode === '1' ? 'US' : undefined);
  if (!number || country === undefined) return [];
  const national: string = number.nationalNumber;
  const everywhere = everywhereIn[country];
  if (everywhere) {
    const area = national.slice(0, 3);
    const zones = Object.keys(northAmerica).filter((zone) => northAmerica[zone]?.split(' ').includes(area));
    return zones.length === 0 ? everywhere : zones;
  }
  const one = countries[country];
  if (one !== undefined) return [one];
  const region = regions[country]?.find(([begins]) => begins.test(national));
  return region?.[1].split(' ') ?? [];
}
