// Routes that compare two captures, on the plugin's thread.
import { type PluginApp, skipSerializer, Type } from '@playhead/sdk'
import { Readable } from 'node:stream'
import { bad } from '../account.ts'
import { FEATURES_CAPTURED } from '../contract.ts'
import { readPath } from '../names.ts'
import type { Parts } from '../parts.ts'
import { childrenOf } from '../run/retention.ts'
import { STATUSES } from '../work/changes.ts'
import { type DiffPair, diffPair } from '../work/diff-pair.ts'
import { DiffAnswer, ExtendedDiffAnswer } from './answers.ts'
import { Path } from './files.ts'

const Both = {
  a: Path,
  b: Path,
  allow_cross_instance: Type.Boolean({ default: false, description: 'Also captures of different profiles.' }),
}
interface BothPaths {
  readonly a: string
  readonly b: string
  readonly allow_cross_instance: boolean
}
const DiffQuery = Type.Object({
  ...Both,
  limit: Type.Integer({ default: 200, minimum: 1, maximum: 2_000 }),
  max_changes: Type.Integer({ default: 25, minimum: 1, maximum: 200 }),
})
const ExtendedQuery = Type.Object({
  ...Both,
  feature: Type.String({
    default: '',
    maxLength: 40,
    description: 'For bundles: the feature to compare. Default: the first that both have.',
  }),
  kind: Type.String({
    default: 'all',
    maxLength: 40,
    description: '`all`, `added`, `removed`, `updated`, `unchanged`.',
  }),
  q: Type.String({ default: '', maxLength: 200 }),
  offset: Type.Integer({ default: 0, minimum: 0, maximum: 10_000_000 }),
  limit: Type.Integer({ default: 5_000, minimum: 1, maximum: 20_000 }),
  max_changes: Type.Integer({ default: 250, minimum: 1, maximum: 1_000 }),
  max_depth: Type.Integer({ default: 6, minimum: 1, maximum: 12 }),
})
interface ExtendedRequest extends BothPaths {
  readonly feature: string
  readonly kind: string
  readonly q: string
  readonly offset: number
  readonly limit: number
  readonly max_changes: number
  readonly max_depth: number
}

export function registerDiffRoutes(app: PluginApp, parts: Parts): void {
  app.get<{ Querystring: BothPaths & { limit: number; max_changes: number } }>(
    '/api/snapshots/diff',
    {
      ...skipSerializer,
      schema: { summary: 'Compare two captures', querystring: DiffQuery, response: { 200: DiffAnswer } },
    },
    async ({ query }, reply) => {
      const pair = await pairOf(parts, query)
      const { limit, max_changes: maxChanges } = query
      return reply.type(JSON_TYPE).send(await streamed(parts.work.diff(pair, { limit, maxChanges })))
    },
  )

  app.get<{ Querystring: ExtendedRequest }>(
    '/api/snapshots/diff/extended',
    {
      ...skipSerializer,
      schema: {
        ...{ summary: 'Compare two captures, row by row in pages', querystring: ExtendedQuery },
        response: { 200: ExtendedDiffAnswer },
      },
    },
    async ({ query }, reply) => {
      const pair = await pairOf(parts, query)
      const { q, offset, limit, max_changes: maxChanges, max_depth: maxDepth } = query
      const kind = (['all', ...STATUSES] as const).find((one) => one === query.kind.trim().toLowerCase())
      if (kind === undefined) throw bad('invalid_kind', `There are the kinds all, ${STATUSES.join(', ')}.`)
      const feature = featureOf(pair, query.feature)
      const pieces = parts.work.extended(pair, { feature, kind, q, offset, limit, maxChanges, maxDepth })
      return reply.type(JSON_TYPE).send(await streamed(pieces))
    },
  )
}

const JSON_TYPE = 'application/json; charset=utf-8'

async function pairOf(parts: Parts, { a, b, allow_cross_instance: allow }: BothPaths): Promise<DiffPair> {
  await parts.ready()
  const [one, other] = [await parts.catalogue.get(readPath(a)), await parts.catalogue.get(readPath(b))]
  const entries = await parts.catalogue.list()
  return diffPair(one, other, (entry) => childrenOf(entry, entries), allow)
}

function featureOf({ files }: DiffPair, given: string) {
  const name = given.trim().toLowerCase()
  const found = name === '' ? files[0] : files.find(({ feature }) => feature === name)
  if (found !== undefined) return found.feature
  const isKnown = (FEATURES_CAPTURED as readonly string[]).includes(name)
  throw bad(
    isKnown ? 'no_shared_children' : 'unsupported_feature',
    `They share ${files.map(({ feature }) => feature).join(', ')}.`,
  )
}

/** Fails before any response is sent. */
async function streamed(given: AsyncIterable<string>): Promise<Readable> {
  const pieces = given[Symbol.asyncIterator]()
  const first = await pieces.next()
  return Readable.from(
    (async function* () {
      try {
        for (let step = first; step.done !== true; step = await pieces.next()) yield step.value
      } finally {
        await pieces.return?.()
      }
    })(),
    { objectMode: false },
  )
}
