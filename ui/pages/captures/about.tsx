// The account, time and content of a capture, and whether it is reliable.
import { Alert, Group, Paper, Text } from '@mantine/core'
import { Facts } from '../../parts/lists/facts.tsx'
import { useNames } from '../../parts/values/names.ts'
import { ServiceMark } from '../../parts/values/service-mark.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { captures } from '../../texts/en/captures.ts'
import { say } from '../../texts/say.ts'
import { kindsText, stateOf, triggerName, whatOf, type Opened } from './capture.ts'

const { view: texts } = captures

export function About({ capture }: { readonly capture: Opened }) {
  const names = useNames()
  const { tone, label, text } = stateOf(capture)
  const unreadable = Number(capture['unreadable'] ?? 0)
  const { stats } = capture
  return (
    <Paper withBorder p="md">
      <Facts
        cols={{ base: 1, xs: 2, md: 4 }}
        facts={[
          [
            texts.account,
            <Group key="account" gap="xs" wrap="nowrap">
              <ServiceMark provider={capture.provider} />
              {names.account(capture.provider, capture.instance)}
            </Group>,
          ],
          [texts.what, whatOf(capture.feature)],
          [texts.made, <TimeText key="made" at={capture.created_at} />],
          [texts.by, triggerName(String(capture['trigger'] ?? 'manual'))],
          [texts.items, say('{n}', { n: stats.count })],
          [
            texts.kinds,
            stats.features === undefined
              ? kindsText(stats.by_type)
              : Object.entries(stats.features)
                  .map(([feature, n]) => `${whatOf(feature)} ${say('{n}', { n })}`)
                  .join(', '),
          ],
        ]}
      />
      <Group gap="xs" mt="md" align="flex-start">
        <StatusBadge tone={tone} label={label} />
        <Text size="sm" c="dimmed" style={{ flex: '1 1 16rem' }}>
          {text}
        </Text>
      </Group>
      {unreadable === 0 ? null : (
        <Alert color="orange" mt="sm">
          {say(captures.stateText.unreadable, { n: unreadable })}
        </Alert>
      )}
    </Paper>
  )
}
