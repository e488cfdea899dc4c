// Applies one change to the stored document: runs the mutator on a copy, normalizes changed sections, and validates.
import { setTimeout as sleep } from 'node:timers/promises'
import { PlayheadError, withTimeLimit } from '@playhead/sdk'
import type { WaitingChange } from './change-queue.ts'
import type { ConfigContribution, ConfigDocument } from './contract.ts'
import {
  changedPaths,
  copy,
  equal,
  formatPath,
  isObject,
  isPrefix,
  putAt,
  valueAt,
  type Path,
} from './document/document.ts'
import { complete, type SectionChecks } from './document/resolve-section.ts'
import type { JsonSchema } from './document/schema-walk.ts'
import { sectionsOf } from './view.ts'

/** How long a change waits for an owner's code to load. */
const LOAD_MS = 3_000

interface DraftContext {
  /** Change when an owner is loaded. */
  readonly contributions: () => readonly ConfigContribution[]
  readonly checks: SectionChecks
  /** Version of the service; stored with each change. */
  readonly version: string
}

interface AppliedChange {
  readonly document: ConfigDocument
  readonly paths: readonly Path[]
}

/** Applies queued changes in order; failed ones are rejected and have no effect. */
export async function applyAll(
  base: ConfigDocument,
  revision: string,
  batch: readonly WaitingChange[],
  context: DraftContext,
) {
  let document = base
  const accepted: { readonly waiting: WaitingChange; readonly paths: readonly Path[] }[] = []
  for (const waiting of batch) {
    try {
      // An earlier change in the batch already produced another document.
      const isStale = waiting.ifRevision !== undefined && (waiting.ifRevision !== revision || document !== base)
      if (isStale) throw conflict(revision)
      const applied = await applyChange(document, waiting, context)
      document = applied.document
      accepted.push({ waiting, paths: applied.paths })
    } catch (error) {
      waiting.reject(error)
    }
  }
  return { document, accepted }
}

/** Returns the changed document and its differences; throwing means no change. */
async function applyChange(
  base: Readonly<ConfigDocument>,
  { mutate, waitMs }: Pick<WaitingChange, 'mutate' | 'waitMs'>,
  context: DraftContext,
): Promise<AppliedChange> {
  const draft = copy(base) as ConfigDocument
  const returned: unknown = mutate(draft)
  if (returned instanceof Promise && waitMs !== undefined) {
    await withTimeLimit(
      returned,
      waitMs,
      () => new PlayheadError('PLH_NOT_READY', `The change of the configuration took longer than ${waitMs} ms.`),
    )
  } else if (returned instanceof Promise) {
    returned.catch(() => undefined)
    throw new TypeError('a change of the configuration must be synchronous; do slow work before it')
  }
  const document = copy(draft)
  const touched = changedPaths(base, document)
  await loadOwners(context.contributions().filter((one) => touches(one, touched)))
  for (const contribution of context.contributions()) {
    if (contribution.normalize !== undefined && touches(contribution, touched))
      await reshape(document, contribution, contribution.normalize)
  }
  const paths = changedPaths(base, document)
  if (paths.length === 0) return { document: base as ConfigDocument, paths }
  check(document, paths, context)
  stamp(document, context.version)
  return { document, paths: changedPaths(base, document) }
}

/** Loads the code of owners that normalize or migrate. */
export async function loadOwners(contributions: readonly ConfigContribution[]): Promise<void> {
  const loads = contributions.flatMap(({ load }) => (load === undefined ? [] : [load()]))
  // An owner that itself waits for a settings change must not block this one.
  if (loads.length > 0) await Promise.race([Promise.allSettled(loads), sleep(LOAD_MS, undefined, { ref: false })])
}

/** Runs an owner's function over its sections in place; unchanged defaults are not stored. */
export async function reshape(
  document: ConfigDocument,
  { sections }: ConfigContribution,
  work: (section: unknown) => unknown,
): Promise<void> {
  const stored = sections.map(({ path }) => valueAt(document, path.split('.')))
  if (stored.every((value) => value === undefined)) return
  const shown = sections.map(({ schema }, index) => complete(schema as JsonSchema, copy(stored[index] ?? {})))
  const isOne = sections.length === 1
  const input = isOne ? shown[0] : Object.fromEntries(sections.map(({ path }, index) => [path, shown[index]]))
  const output = copy(await work(copy(input)))
  for (const [index, { path }] of sections.entries()) {
    const value = withoutDefaults(isOne ? output : valueAt(output, [path]), shown[index], stored[index])
    if (value !== undefined) putAt(document, path.split('.'), value)
  }
}

/** Removes values from `result` that equal `shown`, restoring the stored state. */
export function withoutDefaults(result: unknown, shown: unknown, stored: unknown): unknown {
  if (equal(result, shown)) return stored
  if (!isObject(result) || !isObject(shown) || !(stored === undefined || isObject(stored))) return result
  const kept = Object.create(null) as ConfigDocument
  for (const [name, value] of Object.entries(result)) {
    const part = withoutDefaults(value, shown[name], stored?.[name])
    if (part !== undefined) kept[name] = part
  }
  return kept
}

// Only changed values are validated: an earlier invalid value must not block other changes.
function check(document: ConfigDocument, changed: readonly Path[], { contributions, checks }: DraftContext): void {
  const problems = sectionsOf(contributions()).flatMap(({ path, schema }) => {
    const stored = valueAt(document, path)
    if (stored === undefined || !changed.some((one) => isRelated(one, path))) return []
    return checks
      .problems(schema, stored)
      .map((problem) => ({ loc: [...path, ...problem.path], msg: problem.msg, type: problem.type }))
      .filter(({ loc }) => changed.some((one) => isRelated(one, loc)))
  })
  const [first] = problems
  if (first === undefined) return
  throw new PlayheadError('PLH_CONFIG_INVALID', `${formatPath(first.loc)}: ${first.msg}`, { details: { problems } })
}

function stamp(document: ConfigDocument, version: string): void {
  const previous = document['version']
  if (previous === version) return
  if (
    typeof previous === 'string' &&
    previous !== '' &&
    valueAt(document, ['ui', '_pending_upgrade_from_version']) === undefined
  ) {
    putAt(document, ['ui', '_pending_upgrade_from_version'], previous)
  }
  document['version'] = version
}

function touches({ sections }: ConfigContribution, changed: readonly Path[]): boolean {
  return sections.some(({ path }) => changed.some((one) => isRelated(one, path.split('.'))))
}

function conflict(revision: string): PlayheadError {
  return new PlayheadError(
    'PLH_CONFLICT',
    'The settings have changed meanwhile. Read them again, then repeat the change.',
    { wire: 'config_conflict', details: { revision } },
  )
}

function isRelated(a: Path, b: Path): boolean {
  return isPrefix(a, b) || isPrefix(b, a)
}
