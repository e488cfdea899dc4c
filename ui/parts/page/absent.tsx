// Shown when the object of a page does not exist, with a link to the list.
import { Button } from '@mantine/core'
import { IconMapOff, type TablerIcon } from '@tabler/icons-react'
import { Link } from 'wouter'
import { isApiError } from '../../api/error.ts'
import { EmptyState } from './empty-state.tsx'

export interface AbsentProps {
  readonly icon?: TablerIcon
  readonly title: string
  readonly text: string
  /** The text and target of the link. */
  readonly to: string
  readonly href: string
  /** Further error codes for an invalid id. */
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

/** The id is too long or malformed. */
const REFUSED = [414, 422]

/** Whether a read failed because its id does not, or cannot, exist. */
export function isAbsent(error: unknown, codes: readonly string[] = []): boolean {
  if (!isApiError(error)) return false
  // A 404 without a code means that the route is missing, for example because its plugin is off.
  return REFUSED.includes(error.status) || (error.status === 404 && error.code !== '') || codes.includes(error.code)
}
