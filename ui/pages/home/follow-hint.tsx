// Shown when no account is followed although a media server and a tracker are connected.
import { Anchor, Text } from '@mantine/core'
import { Link } from 'wouter'
import { useRead } from '../../api/query.ts'
import { home } from '../../texts/en/home.ts'

const { playing: texts } = home

export function FollowHint({ isSeen }: { readonly isSeen: boolean }) {
  const { data } = useRead(['scrobbling', 'overview'], 'GET /api/scrobbler/overview', undefined, {
    staleTime: 60_000,
    enabled: isSeen,
  })
  if (data === undefined || data.routes.length > 0 || data.webhooks.length > 0) return null
  const namesOf = (all: typeof data.eligible_sources | typeof data.destination_availability) =>
    all.flatMap(({ profiles }) =>
      profiles.filter(({ configured }) => configured).map(({ provider, instance }) => `${provider} ${instance}`),
    )
  const targets = namesOf(data.destination_availability.filter(({ local }) => !local))
  if (!namesOf(data.eligible_sources).some((source) => targets.some((target) => target !== source))) return null
  return (
    <Text size="sm" c="dimmed">
      {texts.follow}{' '}
      <Anchor component={Link} href="/scrobbling" inherit underline="always">
        {texts.followAction}
      </Anchor>
    </Text>
  )
}
