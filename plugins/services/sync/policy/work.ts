// The manual policy on the library's thread: the whole capability except the names of accounts.
import {
  accountName,
  defined,
  type LibraryRow,
  type ManualPolicyService,
  PlayheadError,
  type PolicyChange,
  type PolicyCounts,
  type PolicyImport,
  type PolicyImportOptions,
  type PolicyScope,
  type Tables,
} from '@playhead/sdk'
import { blockName, distinctBlocks } from '@playhead/sdk/items'
import {
  type AddRow,
  addPages,
  addsByKey,
  copyRows,
  copyText,
  dropAdds,
  dropCopies,
  itemOfAdd,
  lastRevision,
  putAdds,
  putCopy,
  putScope,
  type ScopeRow,
  scopeRow,
  scopeRows,
} from '../store/manual-policy.ts'
import { type FileScope, invalidPolicy, MAX_ROWS, readPolicyFile, writePolicyFile } from './file.ts'
import { jsonText } from '../store/canonical.ts'
import { deleteStopped, stoppedRows } from '../store/stopped-titles.ts'
import { stopTitle } from './stopped.ts'
import { mergeAdds, type PolicyAdd, type Problem, readRow } from './rows.ts'

/** As in the capability, with normalized names and only for existing accounts. */
export interface PolicyWork
  extends Pick<
    ManualPolicyService,
    | 'revision'
    | 'scopes'
    | 'adds'
    | 'addsByKeys'
    | 'blocks'
    | 'change'
    | 'stopped'
    | 'stop'
    | 'syncAgain'
    | 'export'
    | 'copies'
  > {
  import(text: string, options: PolicyImportOptions, accounts: readonly string[]): Promise<PolicyImport>
  restore(id: string, accounts: readonly string[]): Promise<PolicyImport>
}

const MAX_KEYS = 500
const KEPT_COPIES = 5

export function createPolicyWork(db: Tables, now: () => number = Date.now): PolicyWork {
  async function importText(
    text: string,
    { mode, dryRun = false }: PolicyImportOptions,
    accounts: readonly string[],
  ): Promise<PolicyImport> {
    const file = readPolicyFile(text)
    return db.transaction().execute(async (transaction) => {
      const drafts: Draft[] = []
      for (const wanted of await wantedScopes(transaction, file.scopes, mode))
        drafts.push(await draftOf(transaction, wanted))
      const changed = drafts.filter(({ isChanged }) => isChanged)
      let copy: string | null = null
      if (!dryRun && changed.length > 0) {
        const before = countsOf(await scopeRows(transaction))
        if (before.adds + before.blocks > 0) {
          copy = await putCopy(transaction, { atMs: now(), ...before }, writePolicyFile(transaction))
          await dropCopies(transaction, KEPT_COPIES)
        }
        for (const draft of changed) await store(transaction, draft)
      }
      const changes = sumOf(drafts.map(({ counts }) => counts))
      const names = new Set(file.scopes.map(({ scope }) => accountName(scope.provider, scope.instance)))
      const warnings = [
        { code: 'unknown_account' as const, count: [...names].filter((name) => !accounts.includes(name)).length },
        { code: 'same_item' as const, count: file.sameItems },
      ].filter(({ count }) => count > 0)
      const counts = countsOf(file.scopes.map(({ adds, blocks }) => ({ adds: adds.size, blocks })))
      const touched = changed.map(({ scope: { provider, instance } }) => ({ provider, instance }))
      return { mode, dryRun, providers: file.providers, accounts: touched, ...counts, changes, warnings, copy }
    })
  }

  async function store(transaction: Tables, { scope, drop, put, blocks }: Draft) {
    await dropAdds(transaction, scope, drop)
    await putAdds(transaction, scope, put, now())
    return await putScope(transaction, scope, blocks)
  }

  return {
    async revision(scope) {
      return String(scope === undefined ? await lastRevision(db) : ((await scopeRow(db, scope))?.revision ?? 0))
    },
    async scopes() {
      const rows = await scopeRows(db)
      return rows.map(({ revision: _, ...scope }) => ({ ...scope, blocks: scope.blocks.length }))
    },
    async *adds(scope) {
      for await (const page of addPages(db, scope)) yield page.flatMap(toLibraryRow)
    },
    async addsByKeys(scope, keys) {
      return (await addsByKey(db, scope, keys.slice(0, MAX_KEYS))).flatMap(toLibraryRow)
    },
    blocks: async (scope) => (await scopeRow(db, scope))?.blocks ?? [],
    async change(scope, change) {
      const wanted = readChange(scope, change)
      return db.transaction().execute(async (transaction) => {
        const revision = String((await scopeRow(transaction, scope))?.revision ?? 0)
        if (change.ifRevision !== undefined && change.ifRevision !== revision)
          throw new PlayheadError('PLH_CONFLICT', 'Blocks and added items were changed meanwhile. Load them again.', {
            wire: 'policy_changed',
          })
        const draft = await draftOf(transaction, wanted)
        const counts = { adds: draft.adds, blocks: draft.blocks.length }
        if (!draft.isChanged) return { ...counts, revision }
        return { ...counts, revision: String(await store(transaction, draft)) }
      })
    },
    stopped: () => stoppedRows(db),
    stop: (order) => stopTitle(db, order, now()),
    syncAgain: (id) => deleteStopped(db, id),
    async *export() {
      // Pages come from one revision of the policy, however slowly they are fetched.
      yield* await db.transaction().execute(async (transaction) => {
        const pieces: string[] = []
        for await (const piece of writePolicyFile(transaction)) pieces.push(piece)
        return pieces
      })
    },
    import: importText,
    copies: () => copyRows(db),
    async restore(id, accounts) {
      const text = await copyText(db, id)
      if (text === undefined)
        throw new PlayheadError('PLH_NOT_FOUND', 'This copy does not exist. Only the last five are kept.', {
          wire: 'copy_not_found',
        })
      return importText(text, { mode: 'replace' }, accounts)
    },
  }
}

/** A requested change of a scope. */
interface Wanted extends Pick<PolicyChange, 'removeBlocks' | 'addBlocks'> {
  readonly scope: PolicyScope
  readonly adds: ReadonlyMap<string, PolicyAdd>
  /** Further adds to drop. */
  readonly drop: 'all' | 'none' | readonly string[]
  /** An existing add keeps its values. */
  readonly isMerge?: boolean
  /** Absent: unchanged. */
  readonly blocks?: readonly string[]
}

/** Throws for all errors before any change. */
function readChange(scope: PolicyScope, change: PolicyChange): Wanted {
  const { removeAdds = [], removeBlocks = [] } = change
  const problems: Problem[] = []
  const rowsOf = (name: 'adds' | 'setAdds'): Map<string, PolicyAdd> => {
    const found = new Map<string, PolicyAdd>()
    for (const [index, row] of (change[name] ?? []).entries()) {
      const read = readRow(row, { feature: scope.feature, needsIds: true })
      if ('key' in read) {
        const before = found.get(read.key)
        found.set(read.key, before === undefined ? read : mergeAdds(before, read))
      } else problems.push(...read.map(({ path, reason }) => ({ path: `${name}[${index}]${path}`, reason })))
    }
    if (found.size > MAX_ROWS) problems.push({ path: name, reason: 'too_many_rows' })
    return found
  }
  const blocksOf = (name: 'blocks' | 'addBlocks'): readonly string[] => {
    const texts = change[name] ?? []
    for (const [index, text] of texts.entries())
      if (typeof text !== 'string' || blockName(text) === undefined)
        problems.push({ path: `${name}[${index}]`, reason: 'invalid_block' })
    return problems.length > 0 ? [] : distinctBlocks(texts)
  }
  const adds = rowsOf('adds')
  for (const key of removeAdds) adds.delete(key)
  for (const [key, add] of rowsOf('setAdds')) adds.set(key, add)
  const wanted: Wanted = {
    ...{ scope, adds, drop: change.adds === undefined ? removeAdds : 'all', removeBlocks },
    ...defined({ blocks: change.blocks === undefined ? undefined : blocksOf('blocks') }),
    addBlocks: blocksOf('addBlocks'),
  }
  if (problems.length > 0) throw invalidPolicy(problems)
  return wanted
}

/** The changes of an import: of each scope of the file and, for a replacing import, of the policy. */
async function wantedScopes(
  db: Tables,
  file: readonly FileScope[],
  mode: PolicyImportOptions['mode'],
): Promise<readonly Wanted[]> {
  if (mode === 'merge')
    return file.map(({ scope, adds, blocks }) => ({ scope, adds, drop: 'none', isMerge: true, addBlocks: blocks }))
  const isInFile = new Set(file.map(({ scope }) => idOf(scope)))
  const others = (await scopeRows(db)).filter((scope) => !isInFile.has(idOf(scope)))
  const empty = others.map((scope): FileScope => ({ scope, blocks: [], adds: new Map() }))
  return [...file, ...empty].map((each) => ({ ...each, drop: 'all' }))
}

interface Draft extends Pick<ScopeRow, 'adds' | 'blocks'> {
  readonly scope: PolicyScope
  readonly drop: readonly string[]
  readonly put: readonly PolicyAdd[]
  readonly counts: PolicyImport['changes']
  readonly isChanged: boolean
}

/** The effect of a change on a scope. */
async function draftOf(db: Tables, { scope, adds, drop: dropped, isMerge = false, ...wanted }: Wanted): Promise<Draft> {
  const row = await scopeRow(db, scope)
  const before = row?.blocks ?? []
  const { blocks: kept = before, removeBlocks = [], addBlocks = [] } = wanted
  const gone = namesOf(removeBlocks)
  const blocks = distinctBlocks([...kept.filter((text) => !gone.has(blockName(text))), ...addBlocks])
  const left = new Map(adds)
  const put: PolicyAdd[] = []
  const drop: string[] = []
  const isAsked = dropped !== 'all' && dropped !== 'none'
  const pages = isAsked ? [await addsByKey(db, scope, [...adds.keys(), ...dropped])] : addPages(db, scope)
  for await (const page of pages)
    for (const known of page) {
      const add = left.get(known.key)
      left.delete(known.key)
      const next = add !== undefined && isMerge ? mergeAdds(known, add) : add
      if (next === undefined && dropped !== 'none') drop.push(known.key)
      else if (next !== undefined && next.text !== known.text) put.push(next)
    }
  const changed = put.length
  put.push(...left.values())
  const count = (row?.adds ?? 0) - drop.length + left.size
  if (blocks.length > MAX_ROWS) throw tooMany('blocks')
  if (count > MAX_ROWS) throw tooMany('adds')
  const [old, now] = [namesOf(before), namesOf(blocks)]
  return {
    ...{ scope, adds: count, blocks, put, drop },
    counts: {
      addsNew: left.size,
      addsChanged: changed,
      addsRemoved: drop.length,
      blocksNew: now.difference(old).size,
      blocksRemoved: old.difference(now).size,
    },
    isChanged: drop.length + put.length > 0 || jsonText(before) !== jsonText(blocks),
  }
}

function namesOf(blocks: readonly string[]): Set<string | undefined> {
  return new Set(blocks.map(blockName))
}

function sumOf(all: readonly PolicyImport['changes'][]): PolicyImport['changes'] {
  const sum = { addsNew: 0, addsChanged: 0, addsRemoved: 0, blocksNew: 0, blocksRemoved: 0 }
  for (const each of all) for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += each[name]
  return sum
}

function countsOf(rows: readonly Pick<ScopeRow, 'adds' | 'blocks'>[]): PolicyCounts {
  return {
    adds: rows.reduce((sum, { adds }) => sum + adds, 0),
    blocks: rows.reduce((sum, { blocks }) => sum + blocks.length, 0),
  }
}

function toLibraryRow(row: AddRow): readonly LibraryRow[] {
  const item = itemOfAdd(row)
  return item === undefined ? [] : [{ key: row.key, item }]
}

function idOf({ provider, instance, feature }: PolicyScope): string {
  return `${provider} ${instance} ${feature}`
}

function tooMany(what: 'adds' | 'blocks'): PlayheadError {
  return invalidPolicy([{ path: what, reason: 'too_many_rows' }])
}
