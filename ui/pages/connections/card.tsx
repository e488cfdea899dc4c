// A service as a card.
import { profileName } from '../../parts/values/names.ts'
import { Alert, Anchor, Badge, Button, Divider, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { Link } from 'wouter'
import type { Manifest } from '../../parts/sign-in/manifests.ts'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { connections as texts } from '../../texts/en/connections.ts'
import { say } from '../../texts/say.ts'
import { featureLabel, isHeld, problemOf, stateOf } from './state.ts'
import type { SignInTarget } from './sign-in-dialog.tsx'
import { endsSoon } from './facts.tsx'
import { SCROBBLING } from './usages.tsx'
import type { Profile, Usage } from './use-connections.ts'
import { ServiceMark } from '../../parts/values/service-mark.tsx'

interface CardProps {
  readonly manifest: Manifest
  readonly onSignIn: (target: SignInTarget) => void
}

export function ConnectedCard({ manifest, profiles, onSignIn }: CardProps & { readonly profiles: readonly Profile[] }) {
  const { name, label } = manifest
  const used = profiles.filter(({ configured }) => configured)
  const broken = used.find((profile) => profile.status === 'auth_failed' && !isHeld(profile))
  const usages = used.flatMap((profile) => profile.used_by)
  const isScrobbling = (usage: Usage) => SCROBBLING.has(usage.feature)
  // A synced playlist counts as its pair; do not count its endpoint as well.
  const pairs = new Set(
    usages.flatMap(({ feature, pair_id: id }) => (feature === 'sync_pair' && id !== undefined ? [id] : [])),
  ).size
  return (
    <Paper withBorder p="md" component="article" aria-label={label}>
      <Stack gap="sm" h="100%">
        <CardHead manifest={manifest} />
        <Stack gap="xs">
          {used.map((profile) => (
            <div key={profile.id}>
              <Group justify="space-between" gap="xs" wrap="nowrap">
                <Text size="sm" truncate miw={0}>
                  {used.length > 1 ? (
                    <Text span fw={600} inherit>
                      {profileName(profile)}{' '}
                    </Text>
                  ) : null}
                  {profile.user === null ? '' : say(texts.as, { name: profile.user.name })}
                </Text>
                <StatusBadge {...stateOf(profile)} />
              </Group>
              {problemOf(profile) === null ? null : (
                <Text size="xs" c="dimmed">
                  {problemOf(profile)}
                </Text>
              )}
              {endsSoon(profile) ? (
                <Text size="xs" c="dimmed">
                  {texts.facts.ends} <TimeText isAhead at={(profile.credential_ends_at ?? 0) * 1000} />
                </Text>
              ) : null}
            </div>
          ))}
        </Stack>
        <Divider mt="auto" />
        <Group justify="space-between" gap="xs">
          <Text size="sm" c="dimmed">
            {pairs > 0 ? say(texts.usedBy, { n: pairs }) : usages.some(isScrobbling) ? texts.scrobbles : texts.unused}
          </Text>
          {broken === undefined ? null : (
            <Button size="xs" onClick={() => onSignIn({ provider: name, label, instance: broken.id })}>
              {texts.signInAgain}
            </Button>
          )}
          <Button
            size="xs"
            variant="default"
            component={Link}
            href={`/connections/${name}`}
            aria-label={say(texts.manageLabel, { label })}
          >
            {texts.manage}
          </Button>
        </Group>
      </Stack>
    </Paper>
  )
}

export function OtherCard({ manifest, onSignIn }: CardProps) {
  const { name, label, description, available, error = '', features } = manifest
  return (
    <Paper withBorder p="md" component="article" aria-label={label}>
      <Stack gap="sm" h="100%">
        <CardHead manifest={manifest} />
        {available ? (
          <Text size="sm" c="dimmed" lineClamp={3}>
            {description}
          </Text>
        ) : (
          <Alert color="yellow" p="xs">
            <Text size="sm">{say(texts.unavailable, { reason: error })}</Text>
          </Alert>
        )}
        <Group gap="xs">
          {Object.keys(features).map((feature) => (
            <Badge key={feature} variant="light" color="gray" tt="none" fw={500}>
              {featureLabel(feature)}
            </Badge>
          ))}
        </Group>
        <Group mt="auto" justify="flex-end">
          {available ? (
            <Button
              size="xs"
              onClick={() => onSignIn({ provider: name, label, instance: 'default' })}
              aria-label={say(texts.connectLabel, { label })}
            >
              {texts.connect}
            </Button>
          ) : (
            <Button size="xs" variant="default" component={Link} href="/plugins">
              {texts.openPlugin}
            </Button>
          )}
        </Group>
      </Stack>
    </Paper>
  )
}

function CardHead({ manifest: { name, label, group } }: { readonly manifest: Manifest }) {
  return (
    <Group gap="sm" wrap="nowrap">
      <ServiceMark provider={name} size={40} />
      <div style={{ minWidth: 0 }}>
        <Title order={3} size="h5">
          <Anchor component={Link} href={`/connections/${name}`} inherit c="inherit">
            {label}
          </Anchor>
        </Title>
        <Text size="xs" c="dimmed">
          {groupName(group)}
        </Text>
      </div>
    </Group>
  )
}

export function groupName(group: string): string {
  return (texts.groups as Readonly<Record<string, string>>)[group] ?? texts.groups.other
}
