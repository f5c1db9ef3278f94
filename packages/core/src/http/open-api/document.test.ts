import { describe, expect, it } from 'vitest';
import { apiRoutes } from '../api-routes.ts';
import { openApiDocument } from './document.ts';
import { answerExamples, requestExamples } from './examples.ts';

interface Operation {
  readonly operationId: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly description?: string;
    readonly schema: { readonly description?: string };
  }[];
}

const document = openApiDocument(apiRoutes);
const text = JSON.stringify(document);

describe('the OpenAPI document', () => {
  it('holds every operation once', () => {
    const ids = apiRoutes.map(({ operationId }) => operationId);
    expect(new Set(ids).size).toBe(ids.length);
    expect(new Set(apiRoutes.map(({ method, path }) => `${method} ${path}`)).size).toBe(ids.length);
    for (const id of ids) expect(text).toContain(`"operationId":"${id}"`);
  });

  it('refers only to what it defines', () => {
    const references = new Set([...text.matchAll(/"\$ref":"#\/([^"]+)"/g)].map(([, path]) => path ?? ''));
    expect(references.size).toBeGreaterThan(30);
    for (const reference of references) {
      const found = reference
        .split('/')
        .reduce<unknown>((at, key) => (at as Record<string, unknown> | undefined)?.[key], document);
      expect(found, reference).toBeDefined();
    }
  });

  it('names every body', () => {
    expect(text).not.toContain('__schema');
    for (const route of apiRoutes) {
      if (route.body) expect(requestExamples, route.operationId).toHaveProperty(route.operationId);
    }
  });

  it('describes every parameter', () => {
    const operations = Object.values(document.paths as Record<string, Record<string, Operation>>).flatMap(
      (item) => Object.values(item),
    );
    const undescribed = operations.flatMap(({ operationId, parameters }) =>
      parameters
        .filter(({ description, schema }) => !description && !schema.description)
        .map(({ name }) => `${operationId} ${name}`),
    );
    expect(undescribed).toEqual([]);
  });

  it('has examples that are valid and unknown to nobody', () => {
    for (const [id, example] of Object.entries(requestExamples)) {
      const route = apiRoutes.find(({ operationId }) => operationId === id);
      expect(route?.body?.safeParse(example), id).toMatchObject({ success: true });
    }
    for (const [id, example] of Object.entries(answerExamples)) {
      const answer = apiRoutes.find(({ operationId }) => operationId === id)?.answer;
      expect(answer?.parse(example), id).toEqual(example);
    }
    const numbers = text.match(/\+\d{8,15}/g) ?? [];
    expect(numbers.length).toBeGreaterThan(3);
    for (const number of numbers) expect(number).toMatch(/^\+120255501\d\d$/);
  });

  it('lists the statuses of the two ways to place a call', () => {
    const statuses = (path: string) =>
      Object.keys(
        (document.paths as Record<string, { post: { responses: object } }>)[path]?.post.responses ?? {},
      );
    expect(statuses('/call')).toEqual([
      '200',
      '400',
      '401',
      '403',
      '404',
      '408',
      '413',
      '415',
      '429',
      '500',
      '503',
    ]);
    expect(statuses('/call-prompt')).toEqual(['200', '400', '401', '408', '413', '415', '429', '500', '503']);
  });
});
