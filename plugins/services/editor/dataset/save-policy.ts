// Saves rows of an account as its manual policy. Rows that equal those of the account are not stored as adds, so a client may
// send back everything it loaded.
import { isPlayheadError, type LibraryRow, type PolicyChange, type PolicyCounts, type PolicyScope } from '@playhead/sdk'
import { foldCase } from '@playhead/sdk/items'
import { isSaidBy, readRows, readTexts, type SubmittedRow, uniteRows } from '../rows.ts'
import { changedSinceLoad, findAccount, invalid, type Kind, requirePolicy, type Sources } from '../sources.ts'
import type { DatasetBody } from './body.ts'
import { MAX_POLICY } from './read.ts'

const KEYS = 250
/** A client that loaded fewer rows than exist must list the loaded ones. */
const MAX_UNNAMED = 500

export async function savePolicy(sources: Sources, source: 'state' | 'manual', kind: Kind, body: DatasetBody) {
  const { policy } = sources
  if (body.provider == null || body.provider.trim() === '')
    throw invalid('missing_provider', `Missing provider for source=${source}`)
  const { provider, instance } = await findAccount(sources, body.provider, body.provider_instance)
  requirePolicy(sources.has)
  const scope: PolicyScope = { provider, instance, feature: kind }
  const revision = await policy.revision(scope)
  const [rowsChange, blocksChange] = [
    body.items === undefined ? {} : await changeOfRows(sources, scope, source, body),
    body.blocks === undefined ? {} : await changeOfBlocks(sources, scope, body),
  ]
  const change: PolicyChange = { ...rowsChange, ...blocksChange }
  const changes = {
    adds_set: change.setAdds?.length ?? 0,
    adds_removed: change.removeAdds?.length ?? 0,
    blocks_added: change.addBlocks?.length ?? 0,
    blocks_removed: change.removeBlocks?.length ?? 0,
  }
  const isChange = Object.values(changes).some((count) => count > 0)
  if (isChange && body.force !== true && body.revision != null && body.revision !== revision)
    throw changedSinceLoad({ revision })
  const counts =
    isChange && body.dry_run !== true
      ? await store(policy, scope, { ...change, ifRevision: revision })
      : await countsOf(sources, scope, revision)
  return {
    ok: true,
    kind,
    source,
    provider,
    provider_instance: instance,
    count: counts.adds,
    blocks: counts.blocks,
    revision: counts.revision,
    ts: null,
    changes,
    dry_run: body.dry_run === true,
  }
}

async function store(policy: Sources['policy'], scope: PolicyScope, change: PolicyChange) {
  try {
    return await policy.change(scope, change)
  } catch (error) {
    if (isPlayheadError(error, 'PLH_CONFLICT') && error.wire === 'policy_changed') throw changedSinceLoad({})
    throw error
  }
}

async function countsOf(
  { policy }: Sources,
  scope: PolicyScope,
  revision: string,
): Promise<PolicyCounts & { revision: string }> {
  const found = (await policy.scopes()).find(
    (one) => one.provider === scope.provider && one.instance === scope.instance && one.feature === scope.feature,
  )
  return { adds: found?.adds ?? 0, blocks: found?.blocks ?? 0, revision }
}

async function changeOfRows(
  sources: Sources,
  scope: PolicyScope,
  source: 'state' | 'manual',
  body: DatasetBody,
): Promise<PolicyChange> {
  const read = await readRows(body.items, scope.feature as Kind)
  const originals = readTexts(body.original_keys, 'original_keys')
  const rows = uniteRows(read.rows)
  const submitted = new Set(rows.map(({ key }) => key))
  const known = new Map<string, LibraryRow>()
  const held = new Map<string, LibraryRow>()
  for (let start = 0; start < rows.length; start += KEYS) {
    const part = rows.slice(start, start + KEYS)
    const keys = [...new Set(part.flatMap(namesOf))]
    for (const row of await addsByKeys(sources, scope, keys)) known.set(row.key, row)
    for (const row of await heldRows(sources, scope, keys)) held.set(row.key, row)
  }
  const loaded = new Set(originals)
  const setAdds = rows.filter((row) => {
    const isThere = known.has(row.loadedKey) || (source === 'state' && held.has(row.loadedKey))
    // A loaded row that no longer exists was removed elsewhere, and must not return as an add.
    if (loaded.has(row.loadedKey) && !isThere) return false
    const add = known.get(row.key)
    if (add !== undefined) return !(isSaidBy(row.item, add.item) && isSaidBy(add.item, row.item))
    return !namesOf(row).some((name) => held.has(name) && isSaidBy(row.item, held.get(name)!.item))
  })
  // An add whose identity was corrected moves to its new key.
  const renamed = rows
    .filter(({ loadedKey, key }) => loadedKey !== key && known.has(loadedKey))
    .map(({ loadedKey }) => loadedKey)
  const gone =
    originals === undefined
      ? source === 'manual'
        ? await unnamedAdds(sources, scope, submitted)
        : []
      : await existingAdds(
          sources,
          scope,
          originals.filter((key) => !submitted.has(key)),
        )
  const removeAdds = [...new Set([...renamed, ...gone])].filter((key) => !submitted.has(key))
  return { setAdds: setAdds.map(({ fields, key }) => ({ ...fields, key })), removeAdds }
}

function namesOf({ loadedKey, key }: SubmittedRow): readonly string[] {
  return loadedKey === '' || loadedKey === key ? [key] : [loadedKey, key]
}

async function addsByKeys(
  { policy }: Sources,
  scope: PolicyScope,
  keys: readonly string[],
): Promise<readonly LibraryRow[]> {
  return keys.length === 0 ? [] : policy.addsByKeys(scope, keys)
}

/** Rows of the account, including plays of accounts without single plays. */
async function heldRows({ library }: Sources, { provider, instance, feature }: PolicyScope, keys: readonly string[]) {
  if (keys.length === 0) return []
  const found = await library.items(provider, instance, feature, keys)
  if (feature !== 'history') return found
  const known = new Set(found.map(({ key }) => key))
  const works = [...new Set(keys.filter((key) => !known.has(key)).map((key) => key.replace(/@[^@]*$/, '')))]
  const byWork = new Map(
    (works.length === 0 ? [] : await library.items(provider, instance, feature, works)).map((row) => [row.key, row]),
  )
  return [
    ...found,
    ...keys.flatMap((key) => {
      const row = byWork.get(key.replace(/@[^@]*$/, ''))
      return known.has(key) || row === undefined ? [] : [{ key, item: row.item }]
    }),
  ]
}

async function existingAdds(sources: Sources, scope: PolicyScope, keys: readonly string[]): Promise<readonly string[]> {
  const found: string[] = []
  for (let start = 0; start < keys.length; start += KEYS)
    for (const { key } of await addsByKeys(sources, scope, keys.slice(start, start + KEYS))) found.push(key)
  return found
}

/** Without the loaded keys, all rows are adds. */
async function unnamedAdds({ policy }: Sources, scope: PolicyScope, submitted: ReadonlySet<string>) {
  const all: string[] = []
  for await (const page of policy.adds(scope)) all.push(...page.map(({ key }) => key))
  const gone = all.filter((key) => !submitted.has(key))
  if (gone.length > 0 && all.length > MAX_UNNAMED)
    throw invalid(
      'original_keys_required',
      'There are more added items than one page contains. Send the loaded keys as "original_keys".',
      { count: all.length },
    )
  return gone
}

async function changeOfBlocks({ policy }: Sources, scope: PolicyScope, body: DatasetBody): Promise<PolicyChange> {
  const given = body.blocks
  const blocks = readTexts(
    typeof given === 'object' && given !== null && !Array.isArray(given) ? Object.keys(given) : given,
    'blocks',
  )!
  const stored = await policy.blocks(scope)
  const originals = readTexts(body.original_blocks, 'original_blocks')
  const wanted = new Set(blocks.map(nameOf))
  const known = new Set(stored.map(nameOf))
  const base = originals === undefined ? known : new Set(originals.map(nameOf))
  const addBlocks = blocks.filter((block) => !known.has(nameOf(block)) && !base.has(nameOf(block)))
  const removeBlocks = stored.filter((block) => base.has(nameOf(block)) && !wanted.has(nameOf(block)))
  if (originals === undefined && removeBlocks.length > 0 && stored.length > MAX_POLICY)
    throw invalid(
      'original_blocks_required',
      'There are more blocks than one response contains. Send the loaded blocks as "original_blocks".',
      { count: stored.length },
    )
  return { addBlocks, removeBlocks }
}

function nameOf(block: string): string {
  return foldCase(block.trim())
}
