// The workspaces of the tracker: each profile has one.
import { type Account, namedAccount, PlayheadError } from '@playhead/sdk'
import { KINDS, type Named, type Sources, TRACKER } from '../sources.ts'

const DEFAULT = 'default'

export async function listWorkspaces(sources: Sources, instance: string | undefined) {
  const named = await namedAccount(sources.accounts, TRACKER, instance)
  return { ok: true, provider_instance: named.instance, workspaces: [await describe(sources, named)] }
}

export async function workspaceOf(sources: Sources, named: Named) {
  const { id, label, features } = await describe(sources, named)
  return { workspace: id, label, features }
}

async function describe({ tracker, has }: Sources, { instance, account }: Named) {
  const stats = has('tracker') ? await tracker.stats(instance) : []
  const rows = Object.fromEntries(KINDS.map((kind) => [kind, stats.find(({ feature }) => feature === kind)?.rows ?? 0]))
  return {
    id: DEFAULT,
    label: labelOf(account),
    features: Object.fromEntries(KINDS.map((kind) => [kind, stats.some(({ feature }) => feature === kind)])),
    rows,
    profile_id: instance,
  }
}

/** Throws `PLH_NOT_FOUND` (`unknown_workspace`). */
export function requireWorkspace(name: string | undefined, { instance }: Pick<Named, 'instance'>): void {
  const text = (name ?? '').trim()
  if (text !== '' && text !== DEFAULT && text !== instance)
    throw new PlayheadError('PLH_NOT_FOUND', 'The tracker does not have this workspace.', { wire: 'unknown_workspace' })
}

function labelOf(account: Account | undefined): string {
  const label = account?.label ?? ''
  return label === '' ? 'Local tracker' : label
}
