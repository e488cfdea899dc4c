// Shown on a page about one thing when there is no such thing (any more): says so, and leads on.
import { Button } from '@mantine/core'
import { IconMapOff, type TablerIcon } from '@tabler/icons-react'
import { Link } from 'wouter'
import { isApiError } from '../../api/error.ts'
import { EmptyState } from './empty-state.tsx'

export interface AbsentProps {
  readonly icon?: TablerIcon
  readonly title: string
  readonly text: string
  /** The text of the link, and where it leads. */
  readonly to: string
  readonly href: string
  /** Further codes of the service for what cannot be an id. */
  readonly codes?: readonly string[]
}

export function Absent({ icon = IconMapOff, title, text, to, href }: AbsentProps) {
  return (
    <EmptyState
      icon={icon}
      title={title}
      text={text}
      action={
        <Button component={Link} href={href}>
          {to}
        </Button>
      }
    />
  )
}

/** The id is too long, or not one. */
const REFUSED = [414, 422]

/** Whether a read of one thing failed because its id is not, or cannot be, the id of anything. */
export function isAbsent(error: unknown, codes: readonly string[] = []): boolean {
  if (!isApiError(error)) return false
  // Without a code the route itself is not there, as when its plugin is off.
  return REFUSED.includes(error.status) || (error.status === 404 && error.code !== '') || codes.includes(error.code)
}
