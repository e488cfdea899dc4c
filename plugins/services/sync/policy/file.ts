// The file of the manual policy, version 1:
//
//   { "version": 1, "providers": { "TRAKT": {
//       "watchlist": { "adds": { "items": { "<key>": item } }, "blocks": ["<block>"] },
//       "instances": { "TRAKT-P01": { "ratings": { … } } } } } }
//
// The features of a provider apply to its profile `default`. Also accepted: features below `manual`, blocks as the
// keys of an object, items as a list with a `key` in each.
import {
  DEFAULT_PROFILE,
  defined,
  FEATURES,
  parseJson,
  PlayheadError,
  type PolicyScope,
  type Tables,
} from '@playhead/sdk'
import { blockName, distinctBlocks, isRecord } from '@playhead/sdk/items'
import { canonicalId, type Feature } from '@playhead/sdk/provider'
import { addPages, scopeRows } from '../store/manual-policy.ts'
import { jsonText } from '../store/canonical.ts'
import { mergeAdds, type PolicyAdd, type Problem, readRow } from './rows.ts'

const MAX_POLICY_BYTES = 20 * 1024 * 1024
export const MAX_ROWS = 100_000
const MAX_PROBLEMS = 20
const MAX_PATH = 200
const PIECE = 256 * 1024

export interface FileScope {
  readonly scope: PolicyScope
  blocks: readonly string[]
  readonly adds: Map<string, PolicyAdd>
}

interface PolicyFile {
  readonly providers: number
  readonly scopes: readonly FileScope[]
  /** Rows of an item that the scope already contains. */
  readonly sameItems: number
}

/** Throws `PLH_INVALID` with all errors. */
export function readPolicyFile(text: string): PolicyFile {
  if (Buffer.byteLength(text) > MAX_POLICY_BYTES)
    throw new PlayheadError('PLH_INVALID', 'The file is larger than 20 MiB.', { wire: 'policy_too_large', status: 413 })
  const root = parse(text)
  if (!isRecord(root)) throw invalidPolicy([{ path: '', reason: 'not_an_object' }])
  if (!isRecord(root['providers'])) throw invalidPolicy([{ path: 'providers', reason: 'not_an_object' }])
  if (root['version'] !== 1)
    throw new PlayheadError('PLH_INVALID', 'The file has an unknown version; expected version 1.', {
      wire: 'unknown_version',
    })
  const problems: Problem[] = []
  const scopes = new Map<string, FileScope>()
  const providers = new Set<string>()
  let sameItems = 0

  for (const [name, node] of Object.entries(root['providers'])) {
    const path = `providers.${name}`
    const provider = name.trim().toUpperCase()
    if (!/^[A-Z0-9][A-Z0-9_-]{0,63}$/.test(provider)) {
      problems.push({ path, reason: 'invalid_provider' })
      continue
    }
    providers.add(provider)
    const { instances, ...features } = record(node, path)
    takeFeatures(provider, DEFAULT_PROFILE, features, path)
    for (const [named, own] of Object.entries(record(instances ?? {}, `${path}.instances`))) {
      const instance = canonicalId(named)
      const at = `${path}.instances.${named}`
      if (/^(?:default|[A-Z0-9][A-Z0-9_.-]{0,63})$/.test(instance)) takeFeatures(provider, instance, own, at)
      else problems.push({ path: at, reason: 'invalid_instance' })
    }
  }
  for (const { scope, adds, blocks } of scopes.values())
    if (adds.size > MAX_ROWS || blocks.length > MAX_ROWS)
      problems.push({ path: `providers.${scope.provider}`, reason: 'too_many_rows' })
  if (problems.length > 0) throw invalidPolicy(problems)
  return { providers: providers.size, scopes: [...scopes.values()], sameItems }

  function takeFeatures(provider: string, instance: string, node: unknown, path: string): void {
    for (const [name, own] of Object.entries(record(node, path))) {
      const at = `${path}.${name}`
      const feature = name.trim().toLowerCase()
      if (feature === 'manual') takeFeatures(provider, instance, own, at)
      else if ((FEATURES as readonly string[]).includes(feature))
        takeScope({ provider, instance, feature: feature as Feature }, record(own, at), at)
      else problems.push({ path: at, reason: 'unknown_feature' })
    }
  }

  function takeScope(scope: PolicyScope, node: Readonly<Record<string, unknown>>, path: string): void {
    const { adds, blocks, ...others } = node
    for (const name of Object.keys(others)) problems.push({ path: `${path}.${name}`, reason: 'unknown_field' })
    const id = `${scope.provider} ${scope.instance} ${scope.feature}`
    const known = scopes.get(id) ?? { scope, blocks: [], adds: new Map<string, PolicyAdd>() }
    scopes.set(id, known)
    const texts = Array.isArray(blocks) ? (blocks as unknown[]) : Object.keys(record(blocks ?? {}, `${path}.blocks`))
    for (const [index, text] of texts.entries())
      if (typeof text !== 'string' || blockName(text) === undefined)
        problems.push({ path: `${path}.blocks[${index}]`, reason: 'invalid_block' })
    if (problems.length === 0) known.blocks = distinctBlocks([...known.blocks, ...(texts as string[])])
    const items = record(adds ?? {}, `${path}.adds`)['items'] ?? {}
    const rows: readonly (readonly [string | undefined, unknown])[] = Array.isArray(items)
      ? items.map((row) => [undefined, row])
      : Object.entries(record(items, `${path}.adds.items`))
    for (const [index, [key, row]] of rows.entries()) {
      const read = readRow(row, { feature: scope.feature, ...defined({ key }) })
      const at = `${path}.adds.items[${key === undefined ? index : JSON.stringify(key)}]`
      if (!('key' in read)) problems.push(...read.map((problem) => ({ ...problem, path: at + problem.path })))
      else {
        const before = known.adds.get(read.key)
        if (before !== undefined) sameItems += 1
        known.adds.set(read.key, before === undefined ? read : mergeAdds(before, read))
      }
    }
  }

  function record(value: unknown, path: string): Readonly<Record<string, unknown>> {
    if (isRecord(value)) return value
    problems.push({ path, reason: 'not_an_object' })
    return {}
  }
}

function parse(text: string): unknown {
  try {
    return parseJson(text.replace(/^\uFEFF/, ''))
  } catch {
    throw new PlayheadError('PLH_INVALID', 'The file is not JSON.', { wire: 'invalid_json' })
  }
}

export function invalidPolicy(problems: readonly Problem[]): PlayheadError {
  const errors = problems
    .slice(0, MAX_PROBLEMS)
    .map(({ path, reason }) => ({ path: path.toWellFormed().slice(0, MAX_PATH), reason }))
  const more = problems.length - errors.length
  return new PlayheadError(
    'PLH_INVALID',
    `The policy was not changed: ${errors[0]?.reason} at ${errors[0]?.path || 'the top'}${problems.length > 1 ? `, and ${problems.length - 1} more` : ''}.`,
    { wire: 'invalid_policy', details: { errors, more } },
  )
}

/** The policy as a file, in pieces, with one line for each add and block. */
export async function* writePolicyFile(db: Tables): AsyncGenerator<string> {
  let piece = ''
  for await (const part of partsOf(db)) {
    piece += part
    if (piece.length < PIECE) continue
    yield piece
    piece = ''
  }
  yield piece
}

async function* partsOf(db: Tables): AsyncGenerator<string> {
  yield '{"providers":{'
  let open: readonly string[] = []
  for (const [path, scope] of (await scopeRows(db)).map((row) => [pathOf(row), row] as const).sort(byPath)) {
    const parents = path.slice(0, -1)
    const differs = parents.findIndex((name, at) => name !== open[at])
    const shared = differs < 0 ? parents.length : differs
    yield '}'.repeat(open.length - shared) + (open.length === 0 ? '' : ',')
    yield parents
      .slice(shared)
      .map((name) => `${jsonText(name)}:{`)
      .join('')
    yield `${jsonText(scope.feature)}:{"adds":{"items":{`
    open = parents
    let comma = ''
    for await (const page of addPages(db, scope)) {
      yield page.map(({ key, text }, at) => `${at === 0 ? comma : ','}\n${jsonText(key)}:${text}`).join('')
      comma = ','
    }
    yield `}},"blocks":[${scope.blocks.map((text) => `\n${jsonText(text)}`).join(',')}]}`
  }
  yield `${'}'.repeat(open.length)}},"version":1}\n`
}

/** The names that lead to a scope in the file. */
function pathOf({ provider, instance, feature }: PolicyScope): readonly string[] {
  return instance === DEFAULT_PROFILE ? [provider, feature] : [provider, 'instances', instance, feature]
}

function byPath(
  [one]: readonly [readonly string[], unknown],
  [another]: readonly [readonly string[], unknown],
): number {
  return one.join('\0') < another.join('\0') ? -1 : 1
}
