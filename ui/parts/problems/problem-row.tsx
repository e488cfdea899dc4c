// One problem: its subject, a sentence, one main button and a menu.
import { Anchor, Button, Group, Text, ThemeIcon } from '@mantine/core'
import { IconAlertTriangle, IconDots, IconExternalLink } from '@tabler/icons-react'
import { Link } from 'wouter'
import { problems as texts } from '../../texts/en/problems.ts'
import { say } from '../../texts/say.ts'
import { serviceText } from '../../texts/service-text.ts'
import { LazyMenu } from '../page/lazy-menu.tsx'
import { lazyPart } from '../page/lazy-part.ts'
import { titleAddress } from '../titles/pictures.ts'
import { Thumb } from '../titles/thumb.tsx'
import { useNames } from '../values/names.ts'
import { originText } from '../values/origin-text.ts'
import { TimeText } from '../values/time-text.tsx'
import { type Problem, type ProblemAction, type ProblemCause, useProblemActions } from './use-problem-actions.ts'

const loadMenu = () => import('./problem-menu.tsx')
const ProblemMenu = lazyPart(loadMenu)

interface ProblemRowProps {
  readonly problem: Problem
  readonly cause: ProblemCause
  /** Ignored ones have one action: to be shown again. */
  readonly isIgnored: boolean
}

export function ProblemRow({ problem, cause, isIgnored }: ProblemRowProps) {
  const names = useNames()
  const actions = useProblemActions()
  const { id, key, text, year, since, attempts, feature } = problem
  const title = serviceText(problem.title)
  const [main, ...others] = isIgnored ? [] : problem.actions
  const more = say(texts.actions.menu, { title })
  const origin = originText(problem, feature, names.account)
  const facts = [
    ...(attempts !== null && attempts > 1 ? [say(texts.tries, { n: attempts })] : []),
    ...(origin === null ? [] : [origin]),
  ]

  function labelOf({ kind, label, path, account = problem.accounts[0] ?? null }: ProblemAction): string {
    if ((kind === 'open' && path !== null) || (kind === 'open_at' && account === null)) return serviceText(label)
    const service = account === null ? '' : names.account(account.provider, account.instance)
    return say(texts.actions[kind], { service })
  }

  function act(action: ProblemAction): void {
    if (action.call !== null) void actions.call(action, problem)
    else if (action.kind === 'try_again') void actions.retry({ ids: [id] })
  }

  return (
    <Group component="li" className="problem" wrap="nowrap" gap="sm" align="flex-start" data-problem={id}>
      {key === null ? (
        <ThemeIcon variant="light" color={cause.severity === 'error' ? 'red' : 'orange'} size={26}>
          <IconAlertTriangle size={16} aria-hidden />
        </ThemeIcon>
      ) : (
        <Thumb itemKey={key} title={title} />
      )}
      <Group justify="space-between" gap="xs" className="grow">
        <div style={{ flex: '1 1 14rem', minWidth: 0 }}>
          <Text fw={600} size="sm" dir="auto" style={{ overflowWrap: 'anywhere' }}>
            {key === null ? (
              title
            ) : (
              <Anchor component={Link} href={titleAddress(key)} inherit c="inherit">
                {title}
              </Anchor>
            )}
            {year === null ? null : (
              <Text span inherit c="dimmed" fw={400}>
                {` ${String(year)}`}
              </Text>
            )}
          </Text>
          <Text size="sm">{serviceText(text)}</Text>
          <Text size="xs" c="dimmed" component="div">
            {facts.join(' · ')}
            {facts.length > 0 && since !== null ? ' · ' : null}
            {since === null ? null : <TimeText at={since * 1_000} />}
          </Text>
        </div>
        <Group gap="2xs" wrap="nowrap">
          {isIgnored ? (
            <Button
              size="xs"
              variant="default"
              loading={actions.isBusy}
              aria-label={say(texts.actions.named, { action: texts.actions.restore, title })}
              onClick={() => void actions.restore({ ids: [id] })}
            >
              {texts.actions.restore}
            </Button>
          ) : main === undefined ? null : (
            <MainButton
              action={main}
              label={labelOf(main)}
              title={title}
              isBusy={actions.isBusy}
              onAct={() => act(main)}
            />
          )}
          {isIgnored || (others.length === 0 && !cause.can_ignore) ? null : (
            <LazyMenu
              name={more}
              icon={<IconDots size={18} aria-hidden />}
              load={loadMenu}
              variant="subtle"
              color="gray"
              size="lg"
              disabled={actions.isBusy}
            >
              <ProblemMenu
                name={more}
                isBusy={actions.isBusy}
                actions={others}
                labelOf={labelOf}
                onAct={act}
                onIgnore={cause.can_ignore ? () => void actions.ignore({ ids: [id] }) : undefined}
              />
            </LazyMenu>
          )}
        </Group>
      </Group>
    </Group>
  )
}

interface MainButtonProps {
  readonly action: ProblemAction
  readonly label: string
  readonly title: string
  readonly isBusy: boolean
  readonly onAct: () => void
}

function MainButton({ action: { path, url, call }, label, title, isBusy, onAct }: MainButtonProps) {
  const name = say(texts.actions.named, { action: label, title })
  const look = { size: 'xs', variant: 'default', 'aria-label': name } as const
  if (call === null && url !== null)
    return (
      <Button
        {...look}
        component="a"
        href={url}
        target="_blank"
        rel="noopener noreferrer"
        rightSection={<IconExternalLink size={14} aria-hidden />}
      >
        {label}
      </Button>
    )
  if (call === null && path !== null)
    return (
      <Button {...look} component={Link} href={path}>
        {label}
      </Button>
    )
  return (
    <Button {...look} loading={isBusy} onClick={onAct}>
      {label}
    </Button>
  )
}
