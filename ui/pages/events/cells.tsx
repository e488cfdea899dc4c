// Table cells shared by the event lists.
import { ActionIcon, Anchor, Stack, Text } from '@mantine/core'
import { IconEye, IconEyeOff } from '@tabler/icons-react'
import { Link } from 'wouter'
import { events } from '../../texts/en/events.ts'
import { say } from '../../texts/say.ts'
import type { Marked } from './use-acknowledge.ts'

export function Subject({
  href,
  name,
  year,
  text,
}: {
  readonly href: string
  readonly name: string
  readonly year?: number | null
  readonly text: string
}) {
  return (
    <Stack gap={0} py={6}>
      <Text component="div" truncate>
        <Anchor component={Link} href={href} fw={500} underline="hover">
          {name}
        </Anchor>
        {year == null ? null : (
          <Text span c="dimmed">
            {' '}
            ({year})
          </Text>
        )}
      </Text>
      {text === '' ? null : (
        <Text size="sm" c="dimmed" truncate title={text}>
          {text}
        </Text>
      )}
    </Stack>
  )
}

export function MarkButton({
  id,
  name,
  isSeen,
  onMark,
}: {
  readonly id: number
  readonly name: string
  readonly isSeen: boolean
  readonly onMark: (marked: Marked) => void
}) {
  const text = say(isSeen ? events.unacknowledgeNamed : events.acknowledgeNamed, { name })
  return (
    <ActionIcon
      variant="subtle"
      color="gray"
      aria-label={text}
      title={text}
      onClick={() => onMark({ ids: [id], isSeen: !isSeen })}
    >
      {isSeen ? <IconEyeOff size={18} /> : <IconEye size={18} />}
    </ActionIcon>
  )
}
