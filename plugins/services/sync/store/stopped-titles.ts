// Titles that a person stopped. A stop is never changed: another one with a new id takes its place.
import type { Feature, StoppedTitle, StopOrder, Tables } from '@playhead/sdk'

/** Oldest first. */
export async function stoppedRows(db: Tables): Promise<readonly StoppedTitle[]> {
  const rows = await db.selectFrom('sync__stopped').selectAll().orderBy('id').execute()
  return rows.map((row) => {
    const { names, title, year, ...scope } = JSON.parse(String(row['stop'])) as StopOrder
    return {
      ...{ id: String(row['id']), kind: names[0]!.startsWith('movie:') ? 'movie' : 'show' },
      ...{ names, title, year, ...scope, stoppedAtMs: Number(row['stopped_at']) },
    }
  })
}

export async function insertStopped(db: Tables, stop: StopOrder, atMs: number): Promise<string> {
  const row = await db
    .insertInto('sync__stopped')
    .values({ stop: JSON.stringify(stop), stopped_at: atMs })
    .returning('id')
    .executeTakeFirstOrThrow()
  return String(row['id'])
}

/** Returns whether it was there. */
export async function deleteStopped(db: Tables, id: string): Promise<boolean> {
  if (!/^\d{1,15}$/.test(id)) return false
  const { numDeletedRows } = await db.deleteFrom('sync__stopped').where('id', '=', Number(id)).executeTakeFirst()
  return numDeletedRows > 0n
}

interface StopScope {
  readonly pairId: string
  readonly feature: Feature
  readonly accounts: readonly { readonly provider: string; readonly instance: string }[]
}

export function appliesTo({ features, accounts, pairs }: StopOrder, scope: StopScope): boolean {
  if (features !== null && !features.includes(scope.feature)) return false
  if (accounts === null && pairs === null) return true
  if (pairs?.includes(scope.pairId) === true) return true
  return scope.accounts.some(({ provider, instance }) =>
    accounts?.some((one) => one.provider === provider.toUpperCase() && one.instance === instance),
  )
}
