import { ActionIcon, Anchor, Text } from '@mantine/core'
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
    <Text component="div" inherit truncate title={text === '' ? name : `${name}: ${text}`}>
      <Anchor component={Link} href={href} fw={500} underline="hover" inherit>
        {name}
      </Anchor>
      <Text span inherit c="dimmed">
        {year == null ? '' : ` (${String(year)})`}
        {text === '' ? null : (
          <>
            {' · '}
            <span>{text}</span>
          </>
        )}
      </Text>
    </Text>
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
