// The running work, and the reasons why new work is blocked.
import { Alert, Group, Text } from '@mantine/core'
import { useRead } from '../../api/query.ts'
import { QueryView } from '../../parts/page/query-view.tsx'
import { StatusBadge } from '../../parts/values/status-badge.tsx'
import { TimeText } from '../../parts/values/time-text.tsx'
import { maintenance } from '../../texts/en/maintenance.ts'
import { Section } from './section.tsx'

const { work: texts } = maintenance
const POLL_MS = 4_000
const S = 1_000

export function Work() {
  const query = useRead(['maintenance', 'work'], 'GET /api/maintenance/work', undefined, { refetchInterval: POLL_MS })
  return (
    <Section title={texts.title}>
      <QueryView query={query} rows={1}>
        {({ current, blocks }) => (
          <>
            {blocks.map(({ code, message }) => (
              <Alert key={code} color="orange" title={texts.block} mb="xs">
                {message}
              </Alert>
            ))}
            {current.length === 0 ? (
              <Group gap="xs">
                <StatusBadge tone="good" label={texts.idle} />
              </Group>
            ) : (
              <ul className="plain-list">
                {current.map(({ id, label, since }) => (
                  <Group key={id} component="li" justify="space-between" wrap="nowrap" py="2xs" className="line">
                    <Text size="sm" fw={600} truncate>
                      {label}
                    </Text>
                    <Text size="sm" c="dimmed" component="div">
                      <TimeText at={since * S} />
                    </Text>
                  </Group>
                ))}
              </ul>
            )}
          </>
        )}
      </QueryView>
    </Section>
  )
}
