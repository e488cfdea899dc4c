// The usages of a profile, and the error when a used profile is removed.
import { Anchor, Badge, Button, Group, List, Stack, Text } from '@mantine/core'
import { modals } from '@mantine/modals'
import { Link } from 'wouter'
import { isApiError } from '../../api/error.ts'
import { notifyFailure } from '../../parts/dialogs/notify.ts'
import { connections } from '../../texts/en/connections.ts'
import { say } from '../../texts/say.ts'
import type { Usage } from './use-connections.ts'

const { uses, inUse } = connections
/** Features that are configured on the scrobbling page. */
export const SCROBBLING: ReadonlySet<string> = new Set(['watcher', 'webhook'])

export function Usages({ usages }: { readonly usages: readonly Usage[] }) {
  if (usages.length === 0) {
    return (
      <Group gap="sm">
        <Text size="sm" c="dimmed">
          {uses.none}
        </Text>
        <Button size="compact-sm" variant="default" component={Link} href="/pairs/new">
          {uses.makePair}
        </Button>
      </Group>
    )
  }
  return <UsageList usages={usages} />
}

function UsageList({ usages, onFollow }: { readonly usages: readonly Usage[]; readonly onFollow?: () => void }) {
  return (
    <List listStyleType="none" spacing="xs">
      {unique(usages).map(({ feature, label, enabled, pair_id: pair, route_id: route }) => (
        <List.Item key={`${feature} ${pair ?? label}`}>
          <Group gap="xs">
            <Badge variant="light" color="gray" tt="none">
              {(uses.feature as Readonly<Record<string, string>>)[feature] ?? feature}
            </Badge>
            {SCROBBLING.has(feature) ? (
              <Anchor component={Link} href="/scrobbling" size="sm" onClick={() => onFollow?.()}>
                {typeof route === 'string' && label.startsWith(`${route}: `) ? label.slice(route.length + 2) : label}
              </Anchor>
            ) : pair === undefined ? (
              <Text size="sm">{label}</Text>
            ) : (
              <Anchor component={Link} href={`/pairs/${pair}`} size="sm" onClick={() => onFollow?.()}>
                {label}
              </Anchor>
            )}
            {enabled ? null : (
              <Text size="sm" c="dimmed">
                {inUse.off}
              </Text>
            )}
          </Group>
        </List.Item>
      ))}
    </List>
  )
}

/** Shows the usages of a 409, and any other error as a notification. */
export function showRefusal(error: unknown, name: string): void {
  const usages =
    isApiError(error, 409) && error.code === 'provider_in_use'
      ? ((error.body as { readonly usages?: readonly Usage[] }).usages ?? [])
      : []
  if (usages.length === 0) return notifyFailure(error)
  const id = modals.open({
    title: say(inUse.title, { name }),
    children: (
      <Stack>
        <Text>{inUse.text}</Text>
        <UsageList usages={usages} onFollow={() => modals.close(id)} />
        <Group justify="flex-end">
          <Button variant="default" onClick={() => modals.close(id)} data-autofocus>
            {inUse.close}
          </Button>
        </Group>
      </Stack>
    ),
  })
}

// A pair can use the same profile twice, and the pair of a playlist also uses its endpoint.
function unique(usages: readonly Usage[]): readonly Usage[] {
  const pairs = new Set(usages.flatMap(({ feature, pair_id: id }) => (feature === 'sync_pair' ? [id] : [])))
  const shown = usages.filter(
    ({ feature, pair_id: id }) => feature !== 'playlists' || id === undefined || !pairs.has(id),
  )
  return [...new Map(shown.map((usage) => [`${usage.feature} ${usage.pair_id ?? usage.label}`, usage])).values()]
}
