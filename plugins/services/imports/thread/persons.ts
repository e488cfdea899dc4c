// Separates the persons of an upload: a household's archive, or a table with a name column. One person's history must never reach
// another's account, so each person is read separately and imported alone.
import { type ImporterFormat, type ImportFile, type ImportRecord, PlayheadError, yieldToLoop } from '@playhead/sdk'
import { isRecord } from '@playhead/sdk/items'
import type { Upload } from '../file/open.ts'

/** Columns and JSON fields that name a person; the first one in a file is used. */
const NAMES = [
  ...['profile name', 'profile_name', 'profilename', 'profile'],
  ...['username', 'user name', 'user_name', 'user', 'person', 'viewer'],
  ...['user_id', 'user id', 'userid', 'profile_id', 'account_name', 'account name', 'account', 'account_id'],
]
/** Name fields of a person object: `{ "username": "ann", "name": "Ann" }`. */
const NAMES_WITHIN = ['username', 'name', 'title', 'slug', 'id']
const IN_JSON = new RegExp(`"(?:${NAMES.join('|')})"\\s*:`, 'i')
const MAX_PERSONS = 200
const MAX_RECORDS_A_TURN = 5_000
/** Suffixes that browsers and systems add to the name of an existing file. */
const COPY = /(?: ?\(\d+\)| - copy(?: ?\(\d+\))?)(?=\.[^.]*$|$)/

type PersonOf = (record: ImportRecord) => string | null

/**
 * The person of each record; null for all records if the upload has a single person. Throws `PLH_INVALID` (`too_many_persons`).
 *
 * @param archive the name of the upload, for files outside of folders
 */
export async function personsOf(
  upload: Upload,
  { owner }: Pick<ImporterFormat, 'owner'>,
  files: readonly ImportFile[],
  archive: string,
): Promise<PersonOf> {
  const owners = new Map(files.map((file) => [file, owner?.(file) ?? defaultOwner(file, files)]))
  const names = namesOf(new Set(owners.values()), archive)
  const users = await usersOf(upload, files, owners)
  return (record) => {
    const given = owners.get(record.file)!
    const user = users.get(given) === undefined ? undefined : (userOf(record) ?? '')
    const name = names.size > 1 ? names.get(given)! : undefined
    return name === undefined ? (user ?? null) : user === undefined ? name : `${name}: ${user}`
  }
}

/** The folder. A second copy of a file in the folder belongs to another person. */
function defaultOwner(file: ImportFile, files: readonly ImportFile[]): string {
  const plain = file.path.replace(COPY, '')
  const isCopy =
    plain !== file.path &&
    files.some(({ path }) => path !== file.path && path.replace(COPY, '').toLowerCase() === plain.toLowerCase())
  return isCopy ? file.path : folderOf(file.path)
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** The last path part of each, or the whole path where last parts are not unique. */
function namesOf(owners: ReadonlySet<string>, archive: string): ReadonlyMap<string, string> {
  const last = (owner: string) => (owner === '' ? archive : owner.slice(owner.lastIndexOf('/') + 1))
  const all = [...owners].map(last)
  return new Map(
    [...owners].map((owner) => [owner, all.filter((one) => one === last(owner)).length > 1 ? owner : last(owner)]),
  )
}

/** The owners whose records name several persons. A first pass over files with a name column. */
async function usersOf(
  upload: Upload,
  files: readonly ImportFile[],
  owners: ReadonlyMap<ImportFile, string>,
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const found = new Map<string, Set<string>>()
  for (const file of files) {
    const isNamed = file.kind === 'json' ? IN_JSON.test(file.head) : NAMES.some((name) => file.columns.includes(name))
    if (!isNamed) continue
    const owner = owners.get(file)!
    const own = found.get(owner) ?? new Set()
    found.set(owner, own)
    let count = 0
    for await (const record of upload.records(file, () => {})) {
      count += 1
      if (count % MAX_RECORDS_A_TURN === 0) await yieldToLoop()
      const user = userOf(record)
      if (user !== undefined) own.add(user)
      if (own.size > MAX_PERSONS)
        throw new PlayheadError('PLH_INVALID', `The file is of more than ${MAX_PERSONS} people.`, {
          wire: 'too_many_persons',
        })
    }
  }
  return new Map([...found].filter(([, users]) => users.size > 1))
}

function userOf({ file, cells, value }: ImportRecord): string | undefined {
  if (file.kind !== 'json') return textOf(cells[NAMES.find((name) => file.columns.includes(name)) ?? ''])
  if (!isRecord(value)) return undefined
  const given = value[NAMES.find((name) => name in value) ?? '']
  return isRecord(given)
    ? NAMES_WITHIN.map((name) => textOf(given[name])).find((one) => one !== undefined)
    : textOf(given)
}

function textOf(value: unknown): string | undefined {
  const text = typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
  return text === '' ? undefined : text.slice(0, 100)
}
