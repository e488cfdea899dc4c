// The further actions of a problem.
import { ActionIcon, Menu } from '@mantine/core'
import { IconDots, IconExternalLink } from '@tabler/icons-react'
import { Link } from 'wouter'
import { problems as texts } from '../../texts/en/problems.ts'
import { useOpenMenu } from '../page/lazy-menu.tsx'
import type { ProblemAction } from './use-problem-actions.ts'

interface ProblemMenuProps {
  readonly name: string
  readonly isBusy: boolean
  readonly actions: readonly ProblemAction[]
  readonly labelOf: (action: ProblemAction) => string
  readonly onAct: (action: ProblemAction) => void
  /** Absent if the problem cannot be ignored. */
  readonly onIgnore: (() => void) | undefined
}

export default function ProblemMenu({ name, isBusy, actions, labelOf, onAct, onIgnore }: ProblemMenuProps) {
  const { target, opened, setOpened } = useOpenMenu()
  return (
    <Menu position="bottom-end" withinPortal opened={opened} onChange={setOpened}>
      <Menu.Target>
        <ActionIcon ref={target} variant="subtle" color="gray" size="lg" disabled={isBusy} aria-label={name}>
          <IconDots size={18} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {actions.map((action) => (
          <Action
            key={action.url ?? action.path ?? action.kind}
            action={action}
            label={labelOf(action)}
            onAct={() => onAct(action)}
          />
        ))}
        {onIgnore === undefined ? null : <Menu.Item onClick={onIgnore}>{texts.actions.ignore}</Menu.Item>}
      </Menu.Dropdown>
    </Menu>
  )
}

interface ActionProps {
  readonly action: ProblemAction
  readonly label: string
  readonly onAct: () => void
}

function Action({ action: { path, url }, label, onAct }: ActionProps) {
  if (url !== null)
    return (
      <Menu.Item
        component="a"
        href={url}
        target="_blank"
        rel="noopener noreferrer"
        rightSection={<IconExternalLink size={14} aria-hidden />}
      >
        {label}
      </Menu.Item>
    )
  if (path === null) return <Menu.Item onClick={onAct}>{label}</Menu.Item>
  return (
    <Menu.Item component={Link} href={path}>
      {label}
    </Menu.Item>
  )
}
