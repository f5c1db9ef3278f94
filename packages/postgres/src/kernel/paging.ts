import { CallkiteError, type Page, type PageRequest } from '@callkite/core';
import { type RawBuilder, sql } from 'kysely';

/** Lists run newest first, by (created_at, id); creation times are stored to the millisecond, so a cursor is exact. */
interface Position {
  readonly created_at: Date;
  readonly id: string;
}

/**
 * The condition a page starts at.
 * @throws CallkiteError `validation_failed` for a cursor this module did not write
 */
export function startOf(page: PageRequest, table: string): RawBuilder<boolean> {
  if (page.cursor === null) return sql<boolean>`true`;
  const position = readCursor(page.cursor);
  return sql<boolean>`(${sql.ref(`${table}.created_at`)}, ${sql.ref(`${table}.id`)}) < (${position.created_at}, ${position.id})`;
}

/** Rows to ask for: one more than the page holds tells whether another follows. */
export function rowsFor(page: PageRequest): number {
  return page.limit + 1;
}

export function toPage<Row extends Position, Item>(
  rows: readonly Row[],
  page: PageRequest,
  toItem: (row: Row) => Item,
): Page<Item> {
  const shown = rows.slice(0, page.limit);
  const last = shown.at(-1);
  return {
    items: shown.map(toItem),
    nextCursor: rows.length > page.limit && last !== undefined ? writeCursor(last) : null,
  };
}

function writeCursor({ created_at, id }: Position): string {
  return Buffer.from(`${created_at.getTime()} ${id}`).toString('base64url');
}

function readCursor(cursor: string): Position {
  const match = /^(\d{1,15}) (\S{1,100})$/.exec(Buffer.from(cursor, 'base64url').toString());
  if (match?.[1] === undefined || match[2] === undefined) {
    throw new CallkiteError(
      'validation_failed',
      'This cursor does not come from this list. Start without one.',
      {
        details: { cursor: 'unreadable' },
      },
    );
  }
  return { created_at: new Date(Number(match[1])), id: match[2] };
}
