// The manual policy on its own thread: the whole capability except the names of accounts.
import {
  defined,
  type LibraryRow,
  type ManualPolicyService,
  type PolicyChange,
  type PolicyCounts,
  type PolicyImport,
  type PolicyImportOptions,
  type Tables,
} from '@playhead/sdk'
import { blockName, distinctBlocks } from '@playhead/sdk/items'
import { PlayheadError } from '@playhead/sdk'
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
  type ScopeName,
  scopeRow,
  scopeRows,
} from '../store/manual-policy.ts'
import { type FileScope, invalidPolicy, MAX_ROWS, readPolicyFile, writePolicyFile } from './file.ts'
import { jsonText } from '../store/canonical.ts'
import { mergeAdds, type PolicyAdd, type Problem, readRow } from './rows.ts'

/** As in the capability, with normalized names and only for existing accounts. */
export interface PolicyWork
  extends Pick<
    ManualPolicyService,
    'revision' | 'scopes' | 'adds' | 'addsByKeys' | 'blocks' | 'change' | 'export' | 'copies'
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
      const drafts = await draftsOf(transaction, file.scopes, mode)
      const changes = sumOf(drafts.map(({ counts }) => counts))
      const changed = drafts.filter(({ isChanged }) => isChanged)
      let copy: string | null = null
      if (!dryRun && changed.length > 0) {
        const before = countsOf(await scopeRows(transaction))
        if (before.adds + before.blocks > 0) {
          copy = await putCopy(transaction, { atMs: now(), ...before }, writePolicyFile(transaction))
          await dropCopies(transaction, KEPT_COPIES)
        }
        for (const { scope, drop, put, blocks } of changed) {
          await dropAdds(transaction, scope, drop)
          await putAdds(transaction, scope, put, now())
          await putScope(transaction, scope, blocks)
        }
      }
      const names = new Set(file.scopes.map(({ scope }) => accountOf(scope)))
      const warnings = [
        { code: 'unknown_account' as const, count: [...names].filter((name) => !accounts.includes(name)).length },
        { code: 'same_item' as const, count: file.sameItems },
      ].filter(({ count }) => count > 0)
      const adds = file.scopes.reduce((sum, scope) => sum + scope.adds.size, 0)
      const blocks = file.scopes.reduce((sum, scope) => sum + scope.blocks.length, 0)
      return { mode, dryRun, providers: file.providers, adds, blocks, changes, warnings, copy }
    })
  }

  return {
    async revision(scope) {
      return String(scope === undefined ? await lastRevision(db) : ((await scopeRow(db, scope))?.revision ?? 0))
    },
    async scopes() {
      const rows = await scopeRows(db)
      return rows.map(({ provider, instance, feature, adds, blocks }) => ({
        provider,
        instance,
        feature,
        adds,
        blocks: blocks.length,
      }))
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
        const before = await scopeRow(transaction, scope)
        const revision = before?.revision ?? 0
        if (change.ifRevision !== undefined && change.ifRevision !== String(revision))
          throw new PlayheadError('PLH_CONFLICT', 'The manual policy was changed meanwhile. Load it again.', {
            wire: 'policy_changed',
          })
        const { drop, put } = await addChanges(transaction, scope, wanted)
        const old = before?.blocks ?? []
        const blocks = blocksAfter(old, wanted)
        if (blocks.length > MAX_ROWS) throw tooMany('blocks')
        if (drop.length + put.length === 0 && jsonText(old) === jsonText(blocks))
          return { adds: before?.adds ?? 0, blocks: blocks.length, revision: String(revision) }
        await dropAdds(transaction, scope, drop)
        await putAdds(transaction, scope, put, now())
        const after = await putScope(transaction, scope, blocks)
        if (after.adds > MAX_ROWS) throw tooMany('adds')
        return { adds: after.adds, blocks: blocks.length, revision: String(after.revision) }
      })
    },
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
        throw new PlayheadError('PLH_NOT_FOUND', 'There is no such copy; only the last five are kept.', {
          wire: 'copy_not_found',
        })
      return importText(text, { mode: 'replace' }, accounts)
    },
  }
}

interface Wanted extends Pick<PolicyChange, 'removeAdds' | 'removeBlocks'> {
  readonly all: ReadonlyMap<string, PolicyAdd> | undefined
  readonly set: ReadonlyMap<string, PolicyAdd>
  readonly blocks: readonly string[] | undefined
  readonly addBlocks: readonly string[]
}

/** Throws for all errors before any change. */
function readChange(scope: ScopeName, change: PolicyChange): Wanted {
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
  const wanted = {
    all: change.adds === undefined ? undefined : rowsOf('adds'),
    set: rowsOf('setAdds'),
    blocks: change.blocks === undefined ? undefined : blocksOf('blocks'),
    addBlocks: blocksOf('addBlocks'),
    ...defined({ removeAdds: change.removeAdds, removeBlocks: change.removeBlocks }),
  }
  if (problems.length > 0) throw invalidPolicy(problems)
  return wanted
}

async function addChanges(
  db: Tables,
  scope: ScopeName,
  { all, set, removeAdds = [] }: Wanted,
): Promise<{ readonly drop: string[]; readonly put: PolicyAdd[] }> {
  const next = new Map(all)
  for (const key of removeAdds) next.delete(key)
  for (const [key, add] of set) next.set(key, add)
  const before = new Map<string, AddRow>()
  if (all === undefined)
    for (const row of await addsByKey(db, scope, [...set.keys(), ...removeAdds])) before.set(row.key, row)
  else for await (const page of addPages(db, scope)) for (const row of page) before.set(row.key, row)
  return {
    drop: [...before.keys()].filter((key) => !next.has(key)),
    put: [...next.values()].filter(({ key, text }) => before.get(key)?.text !== text),
  }
}

function blocksAfter(before: readonly string[], { blocks = before, removeBlocks = [], addBlocks }: Wanted) {
  const gone = new Set(removeBlocks.map((text) => blockName(text)))
  return distinctBlocks([...blocks.filter((text) => !gone.has(blockName(text))), ...addBlocks])
}

interface Draft {
  readonly scope: ScopeName
  readonly drop: readonly string[]
  readonly put: readonly PolicyAdd[]
  readonly blocks: readonly string[]
  readonly counts: PolicyImport['changes']
  readonly isChanged: boolean
}

/** The effect of an import on each scope of the file and, for a replacing import, of the policy. */
async function draftsOf(
  db: Tables,
  file: readonly FileScope[],
  mode: PolicyImportOptions['mode'],
): Promise<readonly Draft[]> {
  const known = await scopeRows(db)
  const isInFile = new Set(file.map(({ scope }) => idOf(scope)))
  const others = mode === 'replace' ? known.filter((scope) => !isInFile.has(idOf(scope))) : []
  const drafts: Draft[] = []
  const empty = (scope: ScopeName): FileScope => ({ scope, blocks: [], adds: new Map() })
  for (const { scope, blocks: given, adds } of [...file, ...others.map(empty)]) {
    const row = known.find((each) => idOf(each) === idOf(scope))
    const before = row?.blocks ?? []
    const blocks = mode === 'merge' ? distinctBlocks([...before, ...given]) : given
    const left = new Map(adds)
    const put: PolicyAdd[] = []
    const drop: string[] = []
    let changed = 0
    for await (const page of addPages(db, scope))
      for (const row of page) {
        const add = left.get(row.key)
        left.delete(row.key)
        if (add === undefined) {
          if (mode === 'replace') drop.push(row.key)
          continue
        }
        const next = mode === 'merge' ? mergeAdds(row, add) : add
        if (next.text === row.text) continue
        put.push(next)
        changed += 1
      }
    put.push(...left.values())
    if (blocks.length > MAX_ROWS) throw tooMany('blocks')
    if ((row?.adds ?? 0) - drop.length + left.size > MAX_ROWS) throw tooMany('adds')
    const [old, now] = [namesOf(before), namesOf(blocks)]
    drafts.push({
      scope,
      drop,
      put,
      blocks,
      counts: {
        addsNew: left.size,
        addsChanged: changed,
        addsRemoved: drop.length,
        blocksNew: now.difference(old).size,
        blocksRemoved: old.difference(now).size,
      },
      isChanged: drop.length + put.length > 0 || jsonText(before) !== jsonText(blocks),
    })
  }
  return drafts
}

function namesOf(blocks: readonly string[]): Set<string | undefined> {
  return new Set(blocks.map(blockName))
}

function sumOf(all: readonly PolicyImport['changes'][]): PolicyImport['changes'] {
  const sum = { addsNew: 0, addsChanged: 0, addsRemoved: 0, blocksNew: 0, blocksRemoved: 0 }
  for (const each of all) for (const name of Object.keys(sum) as (keyof typeof sum)[]) sum[name] += each[name]
  return sum
}

function countsOf(rows: readonly { readonly adds: number; readonly blocks: readonly string[] }[]): PolicyCounts {
  return {
    adds: rows.reduce((sum, { adds }) => sum + adds, 0),
    blocks: rows.reduce((sum, { blocks }) => sum + blocks.length, 0),
  }
}

function toLibraryRow(row: AddRow): readonly LibraryRow[] {
  const item = itemOfAdd(row)
  return item === undefined ? [] : [{ key: row.key, item }]
}

function idOf({ provider, instance, feature }: ScopeName): string {
  return `${provider} ${instance} ${feature}`
}

export function accountOf({ provider, instance }: Pick<ScopeName, 'provider' | 'instance'>): string {
  return `${provider} ${instance}`
}

function tooMany(what: 'adds' | 'blocks'): PlayheadError {
  return invalidPolicy([{ path: what, reason: 'too_many_rows' }])
}
