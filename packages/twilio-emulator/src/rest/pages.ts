import { ApiError } from './api-error.ts';
import type { ApiRequest } from './request.ts';

const DEFAULT_PAGE_SIZE = 50;
const MAXIMUM_PAGE_SIZE = 1000;

interface Page<Item> {
  items: Item[];
  number: number;
  size: number;
  /** Index of the first item of the page. */
  start: number;
  hasNext: boolean;
}

function pageOf<Item extends { sid: string }>(items: readonly Item[], query: URLSearchParams): Page<Item> {
  const size = Math.min(wholeNumber(query, 'PageSize', DEFAULT_PAGE_SIZE), MAXIMUM_PAGE_SIZE);
  if (size < 1) throw new ApiError(400, 20006, "'PageSize' must be at least 1");
  const number = wholeNumber(query, 'Page', 0);
  // The token names the last item already seen, so that new items at the front shift nothing.
  const lastSeen = query.get('PageToken')?.replace(/^P[AB]/, '');
  const seen = lastSeen === undefined ? -1 : items.findIndex((item) => item.sid === lastSeen);
  const start = seen === -1 ? number * size : seen + 1;
  return {
    items: items.slice(start, start + size),
    number,
    size,
    start,
    hasNext: items.length > start + size,
  };
}

function wholeNumber(query: URLSearchParams, name: string, fallback: number): number {
  const text = query.get(name);
  if (text === null) return fallback;
  if (!/^\d{1,9}$/.test(text)) throw new ApiError(400, 20001, `'${name}' must be a whole number`);
  return Number(text);
}

function pageQuery(query: URLSearchParams, page: number, size: number, lastSid: string | undefined): string {
  const next = new URLSearchParams(query);
  next.set('PageSize', String(size));
  next.set('Page', String(page));
  next.delete('PageToken');
  if (lastSid !== undefined) next.set('PageToken', `PA${lastSid}`);
  return next.toString();
}

/** A listing of the 2010 API: the items under `key`, and relative page addresses around them. */
export function listing<Item extends { sid: string }>(
  request: ApiRequest,
  key: string,
  items: readonly Item[],
  represent: (item: Item) => unknown,
): Record<string, unknown> {
  const { path, query } = request;
  const page = pageOf(items, query);
  const uri = (number: number, lastSid?: string) => `${path}?${pageQuery(query, number, page.size, lastSid)}`;
  return {
    [key]: page.items.map(represent),
    page: page.number,
    page_size: page.size,
    start: page.start,
    end: Math.max(page.start, page.start + page.items.length - 1),
    first_page_uri: uri(0),
    next_page_uri: page.hasNext ? uri(page.number + 1, page.items.at(-1)?.sid) : null,
    previous_page_uri: page.number > 0 ? uri(page.number - 1) : null,
    uri: uri(page.number),
  };
}

/** A listing of the newer APIs: the items under `key`, and absolute page addresses under `meta`. */
export function listingWithMeta<Item extends { sid: string }>(
  request: ApiRequest,
  key: string,
  items: readonly Item[],
  represent: (item: Item) => unknown,
): Record<string, unknown> {
  const { path, query, baseUrl } = request;
  const page = pageOf(items, query);
  const url = (number: number, lastSid?: string) =>
    `${baseUrl}${path}?${pageQuery(query, number, page.size, lastSid)}`;
  return {
    [key]: page.items.map(represent),
    meta: {
      key,
      page: page.number,
      page_size: page.size,
      first_page_url: url(0),
      previous_page_url: page.number > 0 ? url(page.number - 1) : null,
      next_page_url: page.hasNext ? url(page.number + 1, page.items.at(-1)?.sid) : null,
      url: url(page.number),
    },
  };
}
