// Changes that Playhead made to the title.
import { Anchor, Group, Stack, Text } from '@mantine/core'
import { Link } from 'wouter'
import { eventSentence, reasonSentence, type EventRow } from '../../parts/values/event-text.ts'
import { episodeCode } from '../../parts/values/episode.ts'
import { useNames } from '../../parts/values/names.ts'
import { originText } from '../../parts/values/origin-text.ts'
import { TimeText } from '../../parts/values/time-text.tsx'
import { titlePage as texts } from '../../texts/en/title.ts'
import type { TitleData } from './data.ts'

const SHOWN = 8

export function Changes({ title }: { readonly title: TitleData }) {
  const { account } = useNames()
  const rows = title.changes as unknown as readonly EventRow[]
  if (rows.length === 0)
    return (
      <Text size="sm" c="dimmed">
        {texts.noChanges}
      </Text>
    )
  return (
    <Stack gap="xs">
      <ul className="plain-list">
        {rows.slice(0, SHOWN).map((row) => {
          const reason = originText(row, row.feature, account) ?? reasonSentence(row, account)
          return (
            <Group key={row.id} component="li" justify="space-between" gap="xs" py={4}>
              <div className="grow">
                <Text size="sm">
                  {[eventSentence(row, account), episodeCode(row.season, row.episode)]
                    .filter((one) => one !== '')
                    .join(' · ')}
                </Text>
                {reason === null ? null : (
                  <Text size="xs" c="dimmed">
                    {reason}
                  </Text>
                )}
              </div>
              <Text size="xs" c="dimmed" component="div">
                <TimeText at={row.created_at * 1000} />
              </Text>
            </Group>
          )
        })}
      </ul>
      <Anchor component={Link} href={`/events/item/${encodeURIComponent(title.key)}`} size="sm">
        {texts.allChanges}
      </Anchor>
    </Stack>
  )
}
