// The description at /openapi.json is complete and correct: every operation describes its input and its responses.
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import { readManifest } from '../../core/host/load/registry.ts'
import { scopeOfRoute } from '../../core/http/access/scopes.ts'
import { KEYWORDS } from '../../core/http/openapi/vocabulary.ts'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import t from 'tap'
import { atEndOfFile } from '../at-end-of-file.ts'
import { startService } from '../harness.ts'
import { FREE_FORM, freeFormParts } from './free-form.ts'
import { expectedScope, type Scope } from './scopes.ts'
import { BEYOND, SERVED } from './table.ts'

interface Media {
  readonly schema?: Readonly<Record<string, unknown>>
  readonly example?: unknown
}
interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly tags: readonly string[]
  readonly security: readonly object[]
  readonly parameters?: readonly { readonly name: string; readonly in: string; readonly description?: string }[]
  readonly requestBody?: { readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<
    Record<string, { readonly description: string; readonly content?: Readonly<Record<string, Media>> }>
  >
}

t.setTimeout(900_000)

// The one start that compiles the schemas of all routes.
const service = await startService({ shipped: true, eager: true, watch: false })
atEndOfFile(() => service[Symbol.asyncDispose]())
const text = await (await service.call('/openapi.json')).text()
const description = JSON.parse(text)
const operations = Object.entries<Record<string, Operation>>(description.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ name: `${method.toUpperCase()} ${path}`, path, operation })),
)

// Rules that the given paths violate.
const LINT_EXCEPTIONS = [
  'no-ambiguous-paths #/paths/~1api~1events~1{event_id}~1acknowledge',
  'no-ambiguous-paths #/paths/~1api~1events~1{event_id}~1unacknowledge',
  'no-ambiguous-paths #/paths/~1api~1run~1{run_id}~1undo',
  // The health route always answers, without access checks.
  'operation-4xx-response #/paths/~1api~1health/get/responses',
]

t.test(
  'the recommended rules of Redocly find no error, and no warning except those that the paths cause',
  async (t) => {
    const problems = await lintFromString({
      source: text,
      absoluteRef: 'openapi.json',
      config: await createConfig({ extends: ['recommended'] }),
    })
    const told = problems.map(({ ruleId, location }) => `${ruleId} ${location[0]?.pointer}`)
    t.same(
      told.filter((one) => !LINT_EXCEPTIONS.includes(one)),
      [],
    )
  },
)

t.test('responses describe their content; free-form parts are listed with a reason', (t) => {
  const parts = [...freeFormParts(description).keys()]
  t.same(
    parts.filter((part) => !FREE_FORM.some(([place]) => place.test(part))),
    [],
    'a part has no schema: give it one',
  )
  t.same(
    FREE_FORM.filter(([place]) => !parts.some((part) => place.test(part))).map(([, reason]) => reason),
    [],
    'a rule is no longer needed: take it out',
  )
  t.ok(parts.length <= 30, `${parts.length} parts of answers are free-form, and there were 30`)
  t.end()
})

t.test('a part of several responses has one name, and one shape per name', (t) => {
  const names = Object.keys(description.components.schemas)
  for (const name of [
    'Item',
    'Event',
    'EventGroup',
    'Pair',
    'Plugin',
    'Capture',
    'ImportRow',
    'EditorRow',
    'PlaylistEndpoint',
  ])
    t.ok(names.includes(name), name)
  t.same(
    names.filter((name) => name.includes('.')),
    [],
    'two plugins give one title to different shapes',
  )
  t.end()
})

t.test('every operation of the contract is described', (t) => {
  const names = new Set(operations.map(({ name }) => name))
  const isPage = (path: string) => !path.startsWith('/api/') && !path.startsWith('/webhook/')
  const lacking = [...SERVED, ...BEYOND]
    .filter(({ path }) => !isPage(path) && !path.endsWith('/'))
    .map(({ method, path }) => `${method} ${path.replaceAll(/:(\w+)/g, '{$1}')}`)
    .filter((name) => !names.has(name))
  t.same(lacking, [])
  t.end()
})

t.test('every operation has a unique id, a summary, described tags, and its access', (t) => {
  const ids = operations.map(({ operation }) => operation.operationId)
  t.equal(new Set(ids).size, ids.length)
  const tags = new Set(description.tags.map(({ name }: { name: string }) => name))
  const lacking = operations.filter(
    ({ operation: { operationId, summary, tags: own, security } }) =>
      !/^[a-z]+[A-Z][A-Za-z0-9]*$/.test(operationId) ||
      !(summary?.length > 5) ||
      own.length === 0 ||
      !own.every((tag) => tags.has(tag)) ||
      !Array.isArray(security),
  )
  t.same(
    lacking.map(({ name }) => name),
    [],
  )
  for (const { name, description: about } of description.tags) t.ok(about.length > 10, name)
  t.ok(tags.has('Jellyfin (mediaB)') && tags.has('Plex (mediaA)'), 'a product is named beside its token')
  for (const { path, operation } of operations) {
    const token = /^\/(?:api|webhook)\/(media[ABC]|track[AB]|animeA|meta[AB]|listA|tvA|statsA)(?:\/|$)/.exec(path)?.[1]
    if (token !== undefined)
      t.ok(
        operation.tags.some((tag) => tag.endsWith(`(${token})`)),
        `${path} names its product`,
      )
  }
  t.end()
})

t.test("security lists the callers: a session, an API token with the gate's scope, or no token", async (t) => {
  const shape = (method: string, path: string) => `${method} ${path.replaceAll(/:\w+|\{\w+\}/g, '{}')}`
  const expected = new Map<string, { readonly auth: string; readonly scope: Scope }>()
  // Routes of the core are only in the table.
  for (const route of [...SERVED, ...BEYOND])
    expected.set(shape(route.method, route.path), { auth: route.auth, scope: expectedScope(route) })
  const registry = JSON.parse(await readFile('plugin-registry.json', 'utf8')) as {
    readonly plugins: readonly { readonly id: string; readonly source: string }[]
  }
  for (const { id, source } of registry.plugins) {
    const { routes = [], kind } = await readManifest(resolve(source), id)
    for (const { method, path, auth = 'S', ...more } of routes)
      expected.set(shape(method, path), { auth, scope: scopeOfRoute(method, more, kind) })
  }
  let tokens = 0
  for (const { name, operation } of operations) {
    const [method = '', path = ''] = name.split(' ')
    const rule = expected.get(shape(method === 'HEAD' ? 'GET' : method, path))
    if (rule === undefined) {
      t.fail(`${name} is neither in the table nor in a manifest`)
      continue
    }
    const { auth, scope } = rule
    const token = scope === 'session' ? [] : [{ token: [scope] }]
    const wanted =
      auth === 'P' || auth === 'S|P'
        ? []
        : auth === 'W'
          ? [{ webhook: [] }]
          : [...(auth === 'SS' ? [{}] : []), { session: [] }, ...token, ...(auth === 'T' ? [{ bearer: [] }] : [])]
    t.same(operation.security, wanted, name)
    // 403 describes the refusal of a token, where a token is required.
    const forbidden = operation.responses['403'] as { $ref?: string; description?: string } | undefined
    const shared = description.components.responses[forbidden?.$ref?.split('/').at(-1) ?? '']
    const told = forbidden?.description ?? shared?.description ?? ''
    const isAsked = wanted.some((one) => 'session' in one)
    t.equal(told.includes('`insufficient_scope`'), isAsked && scope !== 'session', `${name}: insufficient_scope`)
    t.equal(told.includes('`session_required`'), isAsked && scope === 'session', `${name}: session_required`)
    if (token.length > 0 && isAsked) tokens += 1
  }
  t.ok(tokens > 280, `${tokens} operations take API tokens`)
})

t.test('every 2xx has a schema, unless its status has no body', (t) => {
  const lacking: string[] = []
  for (const { name, operation } of operations) {
    const good = Object.entries(operation.responses).filter(([status]) => /^[23]/.test(status))
    if (good.length === 0) lacking.push(name)
    for (const [status, { content = {} }] of good) {
      if (status === '204' || status.startsWith('3') || name.startsWith('HEAD ')) continue
      const schemas = Object.values(content).map(({ schema }) => schema ?? {})
      if (schemas.length === 0 || schemas.some((schema) => Object.keys(schema).length === 0))
        lacking.push(`${name} ${status}`)
    }
  }
  t.same(lacking, [])
  t.end()
})

t.test('every request body is described, and every path parameter', (t) => {
  const table = new Map(
    [...SERVED, ...BEYOND].map((route) => [`${route.method} ${route.path.replaceAll(/:(\w+)/g, '{$1}')}`, route]),
  )
  const lacking: string[] = []
  for (const { name, path, operation } of operations) {
    const body = table.get(name)?.body
    if (body !== undefined && body !== 'optional-json' && operation.requestBody === undefined) lacking.push(name)
    const named = (operation.parameters ?? []).filter((one) => one.in === 'path').map((one) => one.name)
    if (
      named.toSorted().join() !==
      [...path.matchAll(/\{(\w+)\}/g)]
        .map(([, one]) => one)
        .toSorted()
        .join()
    )
      lacking.push(`${name}: parameters`)
  }
  t.same(lacking, [])
  t.end()
})

// Bodies that are not JSON have no example.
const WITHOUT_EXAMPLE = /event-stream|zip|octet-stream|image|javascript|x509/

t.test('every operation with a JSON response has an example; all examples match their schemas', (t) => {
  const lacking = operations.filter(({ name, operation: { responses } }) => {
    if (name.startsWith('HEAD ')) return false
    const answers = Object.entries(responses).filter(([status]) => status.startsWith('2'))
    const media = answers.flatMap(([, { content = {} }]) => Object.entries(content))
    return media.every(([type, { example }]) => !WITHOUT_EXAMPLE.test(type) && example === undefined)
  })
  t.same(
    lacking.map(({ name }) => name),
    [],
  )
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true })
  ajvFormats.default(ajv)
  ajv.addSchema(description, 'description')
  const wrong: string[] = []
  for (const { name, operation } of operations) {
    const parts = [operation.requestBody, ...Object.values(operation.responses)]
    for (const { schema, example } of parts.flatMap((part) => Object.values(part?.content ?? {})))
      if (schema !== undefined && example !== undefined && !ajv.validate(rebased(schema), example))
        wrong.push(`${name}: ${ajv.errorsText()}`)
  }
  t.same(wrong, [])
  t.end()
})

/** Makes references of the document absolute. */
function rebased(schema: object): object {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"description#/components/')) as object
}

t.test('schemas have no unknown keywords, and the examples contain no data of the machine or of the recording', (t) => {
  t.notMatch(text, /127\.0\.0\.1:\d+|\/tmp\/|"x-[a-z]/)
  const known = new Set(Object.values(KEYWORDS).flat())
  const foreign = new Set<string>()
  const visit = (schema: unknown): void => {
    if (typeof schema !== 'object' || schema === null) return
    for (const [keyword, value] of Object.entries(schema)) {
      if (!known.has(keyword)) foreign.add(keyword)
      if (KEYWORDS.one.includes(keyword)) visit(value)
      if (KEYWORDS.many.includes(keyword)) for (const one of value as unknown[]) visit(one)
      if (KEYWORDS.named.includes(keyword)) for (const one of Object.values(value as object)) visit(one)
    }
  }
  for (const { operation } of operations) {
    for (const parameter of operation.parameters ?? []) visit((parameter as { schema?: object }).schema)
    for (const part of [operation.requestBody, ...Object.values(operation.responses)])
      for (const { schema } of Object.values(part?.content ?? {})) visit(schema)
  }
  t.same([...foreign], [])
  t.equal(description.openapi, '3.1.0')
  t.equal(description.servers.length, 1)
  for (const part of ['Authentication', 'Errors', 'Paging', 'Streams', 'Webhooks', 'Rate limits'])
    t.match(description.info.description, new RegExp(`^## ${part}$`, 'm'))
  t.notMatch(description.info.description, 'For authors of plugins')
  t.end()
})
