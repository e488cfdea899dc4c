// A pair in the list: services, status and actions.
import { ActionIcon, Anchor, Button, Group, Menu, Paper, Stack, Switch, Text } from '@mantine/core'
import { IconDots, IconEye, IconPlayerPlay, IconSettings, IconTrash } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link } from 'wouter'
import { FollowRun } from '../../parts/runs/follow-run.tsx'
import { useFeatureNames } from '../../parts/values/names.ts'
import { problemsOf, type PairStatus } from '../../parts/runs/pair-status.ts'
import { Problems } from '../../parts/runs/problems.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { pairs as texts } from '../../texts/en/pairs.ts'
import { say } from '../../texts/say.ts'
import { SyncBadge } from '../../parts/runs/sync-badge.tsx'
import { FeatureBadges, Sides } from './pair-summary.tsx'
import { usePairActions } from './use-pair-actions.ts'

export function PairCard({ pair, handle }: { readonly pair: PairStatus; readonly handle: ReactNode }) {
  const actions = usePairActions(pair)
  const nameOf = useFeatureNames()
  const { name, enabled, running } = pair
  const lastAt = pair.last_finished_at === null ? null : pair.last_finished_at * 1_000
  return (
    <Paper withBorder p="md">
      <Group wrap="nowrap" align="flex-start" gap="xs">
        {handle}
        <Stack gap="sm" className="grow">
          <Group justify="space-between" align="flex-start" gap="sm">
            <Stack gap="2xs" style={{ minWidth: 0, flex: '1 1 12rem' }}>
              <Group gap="xs">
                <Anchor component={Link} href={`/pairs/${pair.id}`} fw={600} c="inherit">
                  {name}
                </Anchor>
                <SyncBadge status={pair.sync_status} />
              </Group>
              <Sides pair={pair} />
            </Stack>
            <Group gap="xs" wrap="nowrap">
              <Switch
                checked={enabled}
                onChange={(event) => void actions.toggle(event.currentTarget.checked)}
                aria-label={say(texts.turnOn, { name })}
                disabled={running}
              />
              <Button
                size="xs"
                variant="default"
                leftSection={<IconPlayerPlay size={14} aria-hidden />}
                disabled={!enabled || running}
                onClick={() => void actions.run()}
              >
                {texts.runNow}
              </Button>
              <Menu position="bottom-end">
                <Menu.Target>
                  <ActionIcon variant="subtle" color="gray" size="lg" aria-label={say(texts.more, { name })}>
                    <IconDots size={18} />
                  </ActionIcon>
                </Menu.Target>
                <Menu.Dropdown>
                  <Menu.Item
                    leftSection={<IconEye size={16} aria-hidden />}
                    disabled={!enabled || running}
                    onClick={() => void actions.preview()}
                  >
                    {texts.preview}
                  </Menu.Item>
                  <Menu.Item
                    component={Link}
                    href={`/pairs/${pair.id}?tab=settings`}
                    leftSection={<IconSettings size={16} aria-hidden />}
                  >
                    {texts.edit}
                  </Menu.Item>
                  <Menu.Divider />
                  <Menu.Item
                    c="var(--mantine-color-error)"
                    leftSection={<IconTrash size={16} aria-hidden />}
                    onClick={() => void actions.remove()}
                  >
                    {texts.remove}
                  </Menu.Item>
                </Menu.Dropdown>
              </Menu>
            </Group>
          </Group>
          <Group justify="space-between" gap="xs">
            <FeatureBadges pair={pair} />
            <Text size="sm" c="dimmed">
              {texts.lastRun}: <TimeText at={lastAt} never={texts.never} />
            </Text>
          </Group>
          <Problems lines={problemsOf(pair.features, nameOf)} />
          <FollowRun runId={actions.runId} onEnd={(runId) => void actions.ended(runId)} />
        </Stack>
      </Group>
    </Paper>
  )
}
