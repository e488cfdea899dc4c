// Findings for people who do not open the directory: withdrawn versions, and a refused list.
import type { Attention, Listing } from '@playhead/sdk'
import type { LookState } from './source.ts'

export function attentionOf(listings: readonly Listing[], { error, checkedAtMs }: LookState): readonly Attention[] {
  const found = listings.flatMap(({ id, name, version, withdrawn }): Attention[] =>
    withdrawn === null
      ? []
      : [
          {
            id: `plugin_withdrawn:${id}`,
            kind: 'plugin_withdrawn',
            severity: 'warning',
            title: `${name} ${version} was withdrawn`,
            detail: withdrawn.why,
            since: Math.floor(Date.parse(withdrawn.date) / 1_000),
            plugin: id,
            action: { label: 'Open the directory', path: `/plugin-directory/${id}` },
          },
        ],
  )
  // A network that is away now and then needs no person.
  if (error === null || !error.code.startsWith('catalogue_')) return found
  return [
    ...found,
    {
      id: 'directory_refused',
      kind: 'directory_refused',
      severity: 'warning',
      title: 'The plugin directory sent a list that cannot be used',
      detail: `${error.message} The last good one stays in use.`,
      ...(checkedAtMs === null ? {} : { since: Math.floor(checkedAtMs / 1_000) }),
      action: { label: 'Open the directory', path: '/plugin-directory' },
    },
  ]
}
