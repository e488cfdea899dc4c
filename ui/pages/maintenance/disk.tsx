// Disk space: free space, the limit below which work waits, and usage.
import { Alert, Group, Text } from '@mantine/core'
import { together, useRead } from '../../api/query.ts'
import { QueryView } from '../../parts/page/query-view.tsx'
import { bytesText } from '../../parts/values/bytes.ts'
import { maintenance } from '../../texts/en/maintenance.ts'
import { say } from '../../texts/say.ts'
import { Section } from './section.tsx'

const { disk: texts } = maintenance
const POLL_MS = 15_000
const PERCENT = 100
const LEAST_SHARE = 0.4

export function Disk() {
  const query = useRead(['maintenance', 'storage'], 'GET /api/maintenance/storage', undefined, {
    refetchInterval: POLL_MS,
  })
  const health = useRead(['system', 'health'], 'GET /api/system/health', undefined, { refetchInterval: POLL_MS })
  const check = health.data?.checks.find(({ name }) => name === 'disk')
  const limitBytes = (check?.detail as { readonly limit_bytes?: number } | undefined)?.limit_bytes ?? null
  return (
    <Section title={texts.title}>
      <QueryView query={together(query, health)} rows={6}>
        {({ free_bytes: free, total_bytes: total, used_bytes: own, groups }) => {
          const other = Math.max(0, total - free - own)
          const share = (bytes: number) => (bytes / Math.max(1, total)) * PERCENT
          const label = say(texts.label, { own: bytesText(own), other: bytesText(other), free: bytesText(free) })
          const largest = Math.max(1, ...groups.map(({ bytes }) => bytes))
          return (
            <>
              <Text fw={600} size="lg">
                {say(texts.free, { free: bytesText(free), total: bytesText(total) })}
              </Text>
              <div className="disk" role="img" aria-label={label}>
                <span data-part="own" style={{ width: `${Math.max(LEAST_SHARE, share(own))}%` }} />
                <span data-part="other" style={{ width: `${share(other)}%` }} />
                {limitBytes === null ? null : (
                  <i style={{ insetInlineEnd: `${Math.min(PERCENT, share(limitBytes))}%` }} />
                )}
              </div>
              <Group gap="md" mb="xs" aria-hidden>
                {(['own', 'other', 'rest'] as const).map((part) => (
                  <Group key={part} gap="xs" wrap="nowrap">
                    <span className="disk-key" data-part={part} />
                    <Text size="xs" c="dimmed">
                      {texts[part]}
                    </Text>
                  </Group>
                ))}
              </Group>
              {check !== undefined && !check.ok && limitBytes !== null ? (
                <Alert color="red" mb="sm">
                  {say(texts.low, { limit: bytesText(limitBytes) })}
                </Alert>
              ) : limitBytes === null ? null : (
                <Text size="sm" c="dimmed" mb="sm">
                  {say(texts.limit, { limit: bytesText(limitBytes) })}
                </Text>
              )}
              <ul className="plain-list">
                {groups.map(({ group, bytes, files }) => (
                  <li key={group} className="disk-group">
                    <Text size="sm">{texts.groups[group]}</Text>
                    <span className="disk-bar" aria-hidden>
                      <span style={{ width: `${(bytes / largest) * PERCENT}%` }} />
                    </span>
                    <Text size="sm" c="dimmed" ta="right" title={say(texts.files, { n: files })}>
                      {bytesText(bytes)}
                    </Text>
                  </li>
                ))}
              </ul>
            </>
          )
        }}
      </QueryView>
    </Section>
  )
}
