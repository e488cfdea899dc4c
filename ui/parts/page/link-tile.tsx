// An item of a list whose whole area is a link: icon, name, description.
import { Group, Paper, Text, ThemeIcon } from '@mantine/core'
import { IconChevronRight, type TablerIcon } from '@tabler/icons-react'
import { Link } from 'wouter'

interface LinkTileProps {
  readonly href: string
  /** Whether the address is a document of its own, so that the browser loads it. */
  readonly isDocument?: boolean
  readonly icon: TablerIcon
  readonly title: string
  readonly text?: string | null
}

export function LinkTile({ href, isDocument = false, icon: Icon, title, text = null }: LinkTileProps) {
  const look = { href, withBorder: true, p: 'sm', h: '100%', display: 'block', className: 'tile' } as const
  const content = (
    <Group wrap="nowrap" gap="sm">
      <ThemeIcon variant="light" size={38}>
        <Icon size={20} aria-hidden />
      </ThemeIcon>
      <div className="grow">
        <Text fw={600} size="sm">
          {title}
        </Text>
        {text === null ? null : (
          <Text size="xs" c="dimmed" lineClamp={2}>
            {text}
          </Text>
        )}
      </div>
      <IconChevronRight size={16} aria-hidden />
    </Group>
  )
  return (
    <li>
      {isDocument ? (
        <Paper component="a" {...look}>
          {content}
        </Paper>
      ) : (
        <Paper component={Link} {...look}>
          {content}
        </Paper>
      )}
    </li>
  )
}
