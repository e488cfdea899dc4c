// slow: every route, in the whole service
// The responses for a client that relies on the description: the generated client calls every GET operation and all example
// calls in the filled demo service, and each response matches the description exactly.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import ajvFormats from 'ajv-formats'
import t from 'tap'
import { CALLS, LAST_CALLS } from '../demo/example-calls.ts'
import { type Played, startDescribedService } from '../demo/described-service.ts'
import { checkAnswer } from '../../core/testing/answers.ts'
import { strictDescription, strictSchema } from './strict.ts'

/** Operations that this service refuses, with reasons. */
const REFUSED = new Map([
  ['GET /api/plugin-packages/{id}', 'nothing is installed from outside'],
  ['GET /api/plugins/{id}/ui/{hash}/{file}', 'no plugin that ships has pages of its own'],
  ['GET /art/metaA/{typ}/{tmdb_id}', 'there is no key of the metadata service'],
  ['GET /callback', 'a service sends the browser there with a code'],
  ['GET /callback/animeA', 'a service sends the browser there with a code'],
  ['GET /callback/trackA', 'a service sends the browser there with a code'],
])

/** Undescribed members, with reasons; each rule must still be needed. */
const OPEN: readonly (readonly [place: RegExp, reason: string])[] = [
  [/^GET \/api\/analyzer\/(problems|system) \/problems\/n$/, 'what a rule says beside, which its plugin names'],
  [/^GET \/api\/dashboard\/widgets \/\w+\/items\/n$/, 'rows of the part that shows them'],
  [/^GET \/api\/insights (\/history\/n)?$/, 'reports of runs as older versions wrote them, and `<token>_snapshots`'],
  [/^GET \/api\/library\/\{key\} \/changes\/n$/, 'an event, as in Event'],
  [/^\w+ \/api\/pairs(\/\S+)? (\/n)?\/features\/\w+$/, 'options of a feature, whose schema /api/sync/features has'],
  [/^GET \/api\/plans \/plans\/n\/list(\/list)?$/, 'a list as its service says it'],
  [/^GET \/api\/run\/summary(\/file)? $/, 'counts as `<token>_pre` and `<token>_post`'],
  [/^\w+ \/api\/scrobbler\/\S+ \/source_state$/, '`global_<token>_ratings` of each service that has them'],
  [/^GET \/api\/status (\/providers\/\w+)?$/, '`<token>_connected`, and what a service says of its account'],
  [/^GET \/api\/sync\/providers \/n\/capabilities$/, 'what a plugin says of its features'],
  [/^POST \/api\/snapshots\/restore \/result\/children\/n$/, 'the plan of a feature'],
]

t.setTimeout(900_000)

t.test('the strict form of a schema refuses undeclared members, also in parts and lists', (t) => {
  const inner = { type: 'object', properties: { b: { type: 'number' } } }
  const ajv = new Ajv2020({ strict: false })
  const accepts = (schema: object, value: unknown) => ajv.validate(strictSchema(schema) as object, value)
  t.notOk(accepts(inner, { b: 1, more: 1 }))
  t.notOk(accepts({ type: 'array', items: inner }, [{ more: 1 }]))
  t.notOk(accepts({ anyOf: [inner, { type: 'null' }] }, { more: 1 }))
  const sum = { allOf: [inner, { type: 'object', properties: { c: inner } }] }
  t.ok(accepts(sum, { b: 1, c: { b: 1 } }))
  t.notOk(accepts(sum, { b: 1, more: 1 }))
  t.notOk(accepts(sum, { c: { more: 1 } }))
  t.notOk(
    accepts({ ...inner, additionalProperties: true }, { b: 1, more: 1 }),
    'what later versions may add is not there',
  )
  t.ok(
    accepts({ type: 'object', properties: {}, additionalProperties: true }, { more: 1 }),
    'what is free-form stays so',
  )
  t.end()
})

t.test('every response matches its description and media type exactly', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'playhead-answers-'))
  t.teardown(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }))
  await using service = await startDescribedService(directory, { onAnswer: checkAnswer, logTo: () => {} })
  const ajv = new Ajv2020({ strict: false, validateSchema: false, allErrors: true })
  ajvFormats.default(ajv)
  ajv.addSchema(strictDescription(service.description), 'description')
  const seen = new Set<string>()
  const needed = new Set<(typeof OPEN)[number]>()

  function problemsOf({ name, operation, status, type, body }: Played): readonly string[] {
    const statuses = operation.responses
    const described = [String(status), `${String(status)[0]}XX`].find((one) => statuses[one] !== undefined)
    if (described === undefined) return [`${name}: ${status} is not described`]
    const media = Object.keys(statuses[described]?.content ?? {})
    if (media.length === 0 && type === '') return []
    const range = media.find((one) => new RegExp(`^${one.replaceAll('*', '.*')}$`).test(type))
    if (range === undefined) return [`${name}: ${type || 'no body'} instead of ${media.join()}`]
    if (type !== 'application/json' || range !== type) return []
    const [method = '', path = ''] = name.split(' ')
    const at = ['paths', path, method.toLowerCase(), 'responses', described, 'content', range, 'schema']
    const pointer = at.map((one) => encodeURIComponent(one.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')
    if (ajv.validate({ $ref: `description#/${pointer}` }, body)) return []
    const errors = (ajv.errors ?? []).flatMap(({ instancePath, keyword, message, params }) => {
      const place = `${name} ${instancePath.replaceAll(/\/\d+/g, '/n')}`
      const rule = keyword === 'unevaluatedProperties' && OPEN.find(([one]) => one.test(place))
      if (!rule) return [`${place} ${message} ${JSON.stringify(params)}`]
      needed.add(rule)
      return []
    })
    return [...new Set(errors)]
  }
  const check = async (calls: typeof CALLS) => {
    const wrong: string[] = []
    for (const call of calls) {
      const played = await service.play(call)
      if (played.status < 400) seen.add(played.name)
      if (played.status >= 500 && played.status !== 503) wrong.push(`${played.name} answered ${played.status}`)
      if (played.status < 400) wrong.push(...problemsOf(played))
    }
    return wrong
  }
  // Before the calls change data, and after.
  t.same(await check(service.parameterless), [], 'of what is there')
  t.same(await check(CALLS), [], 'of calls')
  t.same(await check(service.parameterless), [], 'after the calls')
  t.same(await check(LAST_CALLS), [], 'of calls that end something')
  t.same(
    OPEN.filter((rule) => !needed.has(rule)).map(([, reason]) => reason),
    [],
    'a rule is no longer needed: take it out',
  )
  const lacking = Object.entries(service.description.paths)
    .flatMap(([path, { get }]) => (get === undefined ? [] : [`GET ${path}`]))
    .filter((name) => !seen.has(name) && !REFUSED.has(name))
  t.same(lacking, [], 'each GET operation answered: give a new one a call in example-calls.ts')
})
