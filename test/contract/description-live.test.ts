// The description stays correct while plugins are added and removed, and is rebuilt only then.
import { createConfig, lintFromString } from '@redocly/openapi-core'
import t from 'tap'
import { type FixturePlugin, startService } from '../harness.ts'

const PROVIDER = { id: 'shelf', kind: 'service', description: 'Books, for the test of the description.' } as const

/** A plugin with a shared schema, unknown keywords, reasons, and its own parameter name. */
const shelf = (parameter: string, title: string): FixturePlugin => ({
  manifest: { ...PROVIDER, name: title, routes: [{ method: 'GET', path: `/api/shelf/:${parameter}` }] },
  files: {
    'index.ts': `import { definePlugin, Type } from '@playhead/sdk'
export default definePlugin({ routes(app) {
  app.addSchema({ $id: 'Book', type: 'object', properties: { title: { type: 'string', shelfMark: 7 } } })
  app.get('/api/shelf/:${parameter}', {
    schema: {
      summary: 'One book',
      params: Type.Object({ ${parameter}: Type.String() }),
      response: { 200: { $ref: 'Book#' } },
      errors: { 409: { lent: 'Somebody has the book.' } },
    },
  }, () => ({ title: 'Dune' }))
} })`,
  },
})
/** Adds another method to the same path, with another parameter name. */
const DELETER: FixturePlugin = {
  manifest: { name: 'Deleter', routes: [{ method: 'DELETE', path: '/api/shelf/:number' }] },
  files: {
    'index.ts': `import { definePlugin, Type } from '@playhead/sdk'
export default definePlugin({ routes(app) {
  app.addSchema({ $id: 'Book', type: 'object', properties: { gone: { type: 'boolean' } } })
  app.delete('/api/shelf/:number', {
    schema: { summary: 'Removes a book', params: Type.Object({ number: Type.String() }), response: { 200: { $ref: 'Book#' } } },
  }, () => ({ gone: true }))
} })`,
    'api.json': JSON.stringify({
      reasons: { lent: 'Somebody has the book.' },
      operations: {
        'DELETE /api/shelf/{number}': { errors: { 409: ['lent'] }, params: { number: '7' }, response: { gone: true } },
      },
    }),
  },
}

async function problemsOf(text: string): Promise<string[]> {
  const config = await createConfig({ extends: ['recommended'] })
  const found = await lintFromString({ source: text, absoluteRef: 'openapi.json', config })
  return found
    .filter(({ severity }) => severity === 'error')
    .map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer}`)
}

t.test(
  'while plugins are added and removed the document stays valid, with their tags, reasons, examples and schemas',
  async (t) => {
    await using service = await startService({
      plugins: { shelf: shelf('id', 'Shelf'), deleter: DELETER },
      watch: false,
    })
    const read = async () => {
      const answer = await service.call('/openapi.json')
      const text = await answer.text()
      return { text, etag: answer.headers.get('etag') ?? '', body: JSON.parse(text) }
    }
    const first = await read()
    t.same(await problemsOf(first.text), [])
    const shared = first.body.paths['/api/shelf/{number}']
    t.same(Object.keys(shared).sort(), ['delete', 'get'], 'both are at one path')
    t.match(shared.delete.parameters, [{ in: 'path', name: 'number', example: '7' }])
    t.match(shared.get.parameters, [{ in: 'path', name: 'number' }], 'with one name for the parameter')
    t.same([shared.get.tags, shared.delete.tags], [['Shelf'], ['Deleter']])
    t.match(shared.get.responses['409'].description, /- `lent`: Somebody has the book\./)
    t.match(shared.delete.responses['409'].description, /- `lent`: Somebody has the book\./)
    t.same(shared.delete.responses['200'].content['application/json'].example, { gone: true })
    const named = (operation: any) =>
      first.body.components.schemas[
        operation.responses['200'].content['application/json'].schema.$ref.split('/').at(-1)
      ]
    t.same(named(shared.get).properties, { title: { type: 'string' } }, 'without the foreign keyword')
    t.same(named(shared.delete).properties, { gone: { type: 'boolean' } }, 'each has its own schema of that name')

    const again = await service.call('/openapi.json', { headers: { 'if-none-match': first.etag } })
    t.equal(again.status, 304, 'unchanged')
    t.equal((await read()).text, first.text)

    await service.host.disable('deleter')
    const without = await read()
    t.same(await problemsOf(without.text), [])
    t.same(Object.keys(without.body.paths['/api/shelf/{id}']), ['get'])
    t.not(without.etag, first.etag)

    await service.writePlugin('shelf', shelf('book', 'Library'))
    await service.host.reload('shelf')
    await service.host.enable('deleter')
    const changed = await read()
    t.same(await problemsOf(changed.text), [])
    t.ok(changed.body.tags.some(({ name }: { name: string }) => name === 'Library'))
    t.notOk(changed.body.tags.some(({ name }: { name: string }) => name === 'Shelf'))
    const ids = Object.values<object>(changed.body.paths).flatMap((methods) =>
      Object.values(methods).map((one: any) => one.operationId),
    )
    t.equal(new Set(ids).size, ids.length)
  },
)
