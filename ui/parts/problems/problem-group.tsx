// The problems of one cause: what it is, buttons for all of them, and the rows, a page at a time.
import { Button, Group, Paper, Text, Title } from '@mantine/core'
import { useEffect, useId, useRef, useState } from 'react'
import { api } from '../../api/client.ts'
import { useEndless } from '../../api/endless.ts'
import { runs } from '../../texts/en/runs.ts'
import { problems as texts } from '../../texts/en/problems.ts'
import { say } from '../../texts/say.ts'
import { serviceText } from '../../texts/service-text.ts'
import { confirm } from '../dialogs/confirm.ts'
import { Failure } from '../page/failure.tsx'
import { Loading } from '../page/loading.tsx'
import { StatusBadge } from '../values/status-badge.tsx'
import { ProblemRow } from './problem-row.tsx'
import { type Problem, type ProblemCause, type ProblemFilter, useProblemActions } from './use-problem-actions.ts'

const PREVIEW = 5
const PAGE = 50
const TONES = { error: 'bad', warning: 'warn', info: 'idle' } as const
const idOf = ({ id }: Problem) => id

interface ProblemGroupProps {
  readonly cause: ProblemCause
  readonly filter: ProblemFilter
  /** The group is alone: all of its rows are shown, a page at a time. */
  readonly isAlone: boolean
  readonly onShowAll: () => void
}

export function ProblemGroup({ cause, filter, isAlone, onShowAll }: ProblemGroupProps) {
  const heading = useId()
  const actions = useProblemActions()
  // Many hints about rows are for a person who looks for them, and take the service a while.
  const [isOpen, setOpen] = useState(cause.need_you > 0 || cause.rows <= PREVIEW)
  const { title: english, text, rows: count, can_ignore: canIgnore, can_retry: canRetry } = cause
  const title = serviceText(english)
  const isIgnored = filter.ignored === true
  const all = { ...filter, cause: cause.cause }

  async function ask(which: 'ignoreAll' | 'retryAll', act: () => Promise<void>): Promise<void> {
    const { title: question, text: explanation, action } = texts[which]
    if (await confirm({ title: say(question, { n: count }), text: explanation, action, destructive: false }))
      await act()
  }

  return (
    <Paper withBorder p="md" component="section" aria-labelledby={heading}>
      <Group justify="space-between" align="flex-start" gap="sm">
        <div style={{ flex: '1 1 16rem', minWidth: 0 }}>
          <Group gap="xs">
            <Title order={2} size="h4" id={heading} tabIndex={-1}>
              {title}
            </Title>
            {cause.need_you > 0 ? (
              <StatusBadge tone={TONES[cause.severity]} label={say(runs.status.need_you, { n: cause.need_you })} />
            ) : (
              <Text span size="sm" c="dimmed">
                {say('{n}', { n: count })}
              </Text>
            )}
          </Group>
          <Text size="sm" c="dimmed">
            {serviceText(text)}
          </Text>
        </div>
        {isIgnored ? null : (
          <Group gap="xs">
            {canRetry && count > 1 ? (
              <Button
                size="xs"
                variant="default"
                loading={actions.isBusy}
                aria-label={say(texts.actions.named, { action: texts.group.retryAll, title })}
                onClick={() => void ask('retryAll', () => actions.retry(all))}
              >
                {texts.group.retryAll}
              </Button>
            ) : null}
            {canIgnore && count > 1 ? (
              <Button
                size="xs"
                variant="subtle"
                disabled={actions.isBusy}
                aria-label={say(texts.actions.named, { action: texts.group.ignoreAll, title })}
                onClick={() => void ask('ignoreAll', () => actions.ignore(all))}
              >
                {texts.group.ignoreAll}
              </Button>
            ) : null}
          </Group>
        )}
      </Group>
      {isAlone || isOpen ? (
        <Rows cause={cause} filter={all} isAlone={isAlone} label={title} heading={heading} onShowAll={onShowAll} />
      ) : (
        <Button mt="xs" size="xs" variant="subtle" aria-describedby={heading} onClick={() => setOpen(true)}>
          {say(texts.group.open, { n: count })}
        </Button>
      )}
    </Paper>
  )
}

interface RowsProps {
  readonly cause: ProblemCause
  readonly filter: ProblemFilter
  readonly isAlone: boolean
  readonly label: string
  readonly heading: string
  readonly onShowAll: () => void
}

function Rows({ cause, filter, isAlone, label, heading, onShowAll }: RowsProps) {
  const size = isAlone ? PAGE : PREVIEW
  const list = useRef<HTMLUListElement>(null)
  const query = useEndless({
    key: ['problems', 'rows', filter, size],
    size,
    read: ({ offset }, signal) => api('GET /api/problems', { query: { ...filter, offset, limit: size }, signal }),
    rowsOf: ({ items }) => items,
    idOf,
    totalOf: ({ total }) => total,
    isWhole: true,
  })
  const { rows } = query
  useKeptFocus(list, heading, rows)
  if (rows === undefined)
    return query.error === null ? <Loading rows={2} /> : <Failure error={query.error} onRetry={query.retry} />
  return (
    <>
      {query.error === null ? null : <Failure error={query.error} onRetry={query.retry} />}
      <ul ref={list} className="plain-list" aria-label={say(texts.group.list, { title: label })}>
        {rows.map((problem) => (
          <ProblemRow key={problem.id} problem={problem} cause={cause} isIgnored={filter.ignored === true} />
        ))}
      </ul>
      {!query.hasMore ? null : (
        <Button
          mt="xs"
          size="xs"
          variant="subtle"
          loading={query.isLoadingMore}
          aria-describedby={heading}
          onClick={isAlone ? query.more : onShowAll}
        >
          {isAlone ? texts.group.more : say(texts.group.show, { n: query.total })}
        </Button>
      )}
    </>
  )
}

/** After a row with the focus is removed, the focus moves to the row in its place, or to the heading. */
function useKeptFocus(
  list: { readonly current: HTMLUListElement | null },
  heading: string,
  rows: readonly Problem[] | undefined,
): void {
  const at = useRef(-1)
  useEffect(() => {
    const element = list.current
    if (element === null) return
    const note = ({ target }: FocusEvent) => {
      const row = target instanceof Element ? target.closest('li') : null
      at.current = row === null ? -1 : [...element.children].indexOf(row)
    }
    element.addEventListener('focusin', note)
    return () => element.removeEventListener('focusin', note)
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows may have gone with the focus
  useEffect(() => {
    const place = at.current
    const { activeElement } = document
    if (place === -1 || (activeElement !== document.body && activeElement !== null)) return
    const row = list.current?.children[place] ?? list.current?.lastElementChild
    const next = row?.querySelector<HTMLElement>('button:not(:disabled), a[role="button"], a[href]')
    ;(next ?? document.getElementById(heading))?.focus()
  }, [rows])
}
