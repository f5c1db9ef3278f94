import {
  createFormRequest,
  type FormResource,
  formList,
  formResource,
  formVersionQuery,
  pageQuery,
  updateFormRequest,
} from '@callkite/contract';
import { pageOf } from '../../kernel/page-query.ts';
import { routesOf } from '../../kernel/route.ts';
import type { FormRecord } from './form-store.ts';
import type { Forms } from './forms.ts';

const { route } = routesOf<{ forms: Forms }>();

export const formRoutes = [
  route(
    {
      method: 'GET',
      path: '/forms',
      auth: 'key',
      tag: 'Forms',
      operationId: 'listForms',
      summary: 'List forms, newest first',
      query: pageQuery,
      status: 200,
      answer: formList,
    },
    async ({ forms }, { caller, query }) => {
      const page = await forms.list(caller, pageOf(query));
      return { forms: page.items.map(toResource), next_cursor: page.nextCursor };
    },
  ),
  route(
    {
      method: 'POST',
      path: '/forms',
      auth: 'key',
      tag: 'Forms',
      operationId: 'createForm',
      summary: 'Create a form that agents fill in during calls',
      description: 'Attach it to a workflow by naming its id in `definition.forms`.',
      body: createFormRequest,
      status: 201,
      answer: formResource,
    },
    async ({ forms }, { caller, body }) => toResource(await forms.create(caller, body)),
  ),
  route(
    {
      method: 'GET',
      path: '/forms/{id}',
      auth: 'key',
      tag: 'Forms',
      operationId: 'getForm',
      summary: 'A form, as it is or as it was',
      query: formVersionQuery,
      status: 200,
      answer: formResource,
      refusals: ['forbidden', 'not_found'],
    },
    async ({ forms }, { caller, parameters, query }) =>
      toResource(await forms.get(caller, parameters.id, query.version)),
  ),
  route(
    {
      method: 'PATCH',
      path: '/forms/{id}',
      auth: 'key',
      tag: 'Forms',
      operationId: 'updateForm',
      summary: 'Change a form',
      description:
        'Stores a new version; calls already accepted keep theirs. The fields are replaced as a whole.',
      body: updateFormRequest,
      status: 200,
      answer: formResource,
      refusals: ['forbidden', 'not_found', 'conflict'],
    },
    async ({ forms }, { caller, parameters, body }) =>
      toResource(
        await forms.update(caller, parameters.id, {
          ...(body.title !== undefined && { title: body.title }),
          ...(body.fields && { fields: body.fields }),
          ...(body.expected_version !== undefined && { expectedVersion: body.expected_version }),
        }),
      ),
  ),
  route(
    {
      method: 'DELETE',
      path: '/forms/{id}',
      auth: 'key',
      tag: 'Forms',
      operationId: 'deleteForm',
      summary: 'Delete a form',
      description: 'Calls already accepted keep it; later calls of workflows that name it go without.',
      status: 204,
      refusals: ['forbidden', 'not_found'],
    },
    ({ forms }, { caller, parameters }) => forms.delete(caller, parameters.id),
  ),
];

function toResource(form: FormRecord): FormResource {
  return {
    id: form.id,
    title: form.title,
    version: form.version,
    fields: [...form.fields],
    created_at: form.createdAt.toISOString(),
    updated_at: form.updatedAt.toISOString(),
  };
}
