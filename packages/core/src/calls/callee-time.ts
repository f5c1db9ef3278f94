import { timeZonesOf } from './time-zones.ts';

function timeIn(zone: string, now: Date): string {
  const day = new Intl.DateTimeFormat('en-US', { timeZone: zone, dateStyle: 'full' }).format(now);
  const time = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hour: 'numeric',
    minute: '2-digit',
  }).format(now);
  return `${day}, ${time.replace(/\s/gu, ' ')} (${zone})`;
}

/**
 * Date, weekday and time where the callee is, in words for a model. Where the number does not tell one time zone, all that
 * may be are given, with the advice to name the zone.
 * @param phone E.164, or `browser` for a visitor of a web page
 */
export function calleeTime(phone: string, now: Date): string {
  const zones = timeZonesOf(phone);
  const [zone] = zones;
  if (zone === undefined) {
    return `It is ${timeIn('UTC', now)}. The callee's time zone is not known: name a time zone when you agree on a time.`;
  }
  const times = [
    ...new Map(zones.map((each) => [timeIn(each, now).replace(/ \(.*$/, ''), timeIn(each, now)])),
  ];
  if (times.length === 1) return `It is ${timeIn(zone, now)} where the callee is.`;
  const all = times.map(([, time]) => time).join('; or ');
  return `Where the callee is, it may be ${all}. Their number does not tell which: name the time zone when you agree on a time.`;
}
