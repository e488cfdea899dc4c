// The running version and the newest one.
import { Alert, Anchor, Button, Group, Stack, Text } from '@mantine/core'
import { IconExternalLink, IconRefresh } from '@tabler/icons-react'
import { useRead } from '../../../api/query.ts'
import { Facts } from '../../../parts/lists/facts.tsx'
import { QueryView } from '../../../parts/page/query-view.tsx'
import { StatusBadge, type Tone } from '../../../parts/values/status-badge.tsx'
import { TimeText } from '../../../parts/values/time-text.tsx'
import { settings } from '../../../texts/en/settings.ts'
import { say } from '../../../texts/say.ts'
import { Card } from '../card.tsx'
import { SectionForm } from '../../../parts/settings/section-form.tsx'

const { updates } = settings

export default function Updates() {
  const query = useRead(['settings', 'updates'], 'GET /api/version/check', undefined, { staleTime: 60_000 })
  return (
    <Stack>
      <QueryView query={query} rows={6}>
        {({
          current,
          latest,
          update_available: isAvailable,
          checked_at: checkedAt,
          error,
          notes,
          url,
          published_at: publishedAt,
        }) => {
          const [tone, label]: [Tone, string] = isAvailable
            ? ['warn', updates.available]
            : checkedAt === null
              ? ['idle', updates.notChecked]
              : ['good', updates.current]
          return (
            <Card title={updates.running} aside={<StatusBadge tone={tone} label={label} />}>
              <Facts
                facts={[
                  [updates.running, <strong key="current">{current}</strong>],
                  [
                    updates.latest,
                    latest === null ? (
                      updates.unknown
                    ) : (
                      <>
                        {latest}
                        {publishedAt === null ? null : (
                          <>
                            {' '}
                            · <TimeText at={publishedAt} />
                          </>
                        )}
                      </>
                    ),
                  ],
                  [updates.checked, <TimeText key="checked" at={checkedAt === null ? null : checkedAt * 1000} />],
                ]}
              />
              {error === null ? (
                checkedAt === null && latest === null ? (
                  <Text size="sm" c="dimmed">
                    {updates.noSource}
                  </Text>
                ) : null
              ) : (
                <Alert color="orange">{say(updates.failed, { message: error })}</Alert>
              )}
              {notes === '' ? null : (
                <>
                  <Text fw={600} size="sm">
                    {updates.notes}
                  </Text>
                  <Text size="sm" className="notes">
                    {notes}
                  </Text>
                </>
              )}
              <Group gap="xs">
                <Button
                  variant="default"
                  loading={query.isFetching}
                  onClick={() => void query.refetch()}
                  leftSection={<IconRefresh size={16} aria-hidden />}
                >
                  {updates.check}
                </Button>
                {url === '' ? null : (
                  <Anchor href={url} target="_blank" rel="noreferrer" underline="always">
                    <Group gap="2xs" component="span">
                      {updates.open}
                      <IconExternalLink size={14} aria-hidden />
                    </Group>
                  </Anchor>
                )}
              </Group>
            </Card>
          )
        }}
      </QueryView>
      <Card title={updates.settings}>
        <SectionForm path="plugins.version" onSaved={() => void query.refetch()} />
      </Card>
    </Stack>
  )
}
