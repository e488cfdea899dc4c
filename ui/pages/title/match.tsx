// Fix match: compares each service's match with the right title. Corrects one service at a time.
import { Alert, Button, Group, Modal, NumberInput, Radio, Stack, Text } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { useLocation } from 'wouter'
import { api, type Answer } from '../../api/client.ts'
import { useRead } from '../../api/query.ts'
import { notifyDone, notifyFailure } from '../../parts/dialogs/notify.ts'
import { reasonText } from '../../parts/values/event-text.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { undoPlans } from '../../parts/runs/undo-plans.ts'
import { titleAddress } from '../../parts/titles/pictures.ts'
import { ChosenTitle, TitleSearch, type Work } from '../../parts/titles/title-search.tsx'
import { episodeCode } from '../../parts/values/episode.ts'
import { useFeatureNames, useNames } from '../../parts/values/names.ts'
import { ServiceMark } from '../../parts/values/service-mark.tsx'
import { titlePage } from '../../texts/en/title.ts'
import { locale } from '../../texts/language.ts'
import { say } from '../../texts/say.ts'
import type { TitleData } from './data.ts'

const texts = titlePage.match
type Says = TitleData['says'][number]
type Result = Answer<'POST /api/manual/match'>
const SHOWN = 5
const LIST = new Intl.ListFormat(locale)
/** Id schemes that more than one service knows. */
const SCHEMES = ['tmdb', 'imdb', 'tvdb', 'tracka'] as const

/** A single episode, and the accounts that have it. */
export interface Part extends Place {
  readonly accounts: readonly { readonly provider: string; readonly instance: string }[]
}

interface Place {
  readonly season: number
  readonly episode: number
}

interface FixMatchProps {
  readonly title: TitleData
  /** Without it: the whole title. */
  readonly part?: Part
  readonly onClose: () => void
}

export default function FixMatch(props: FixMatchProps) {
  const { part, onClose } = props
  const name = part === undefined ? '' : ` ${episodeCode(part.season, part.episode)}`
  return (
    <Modal opened onClose={onClose} title={`${texts.title}${name}`} size="lg">
      <Form {...props} />
    </Modal>
  )
}

function Form({ title, part, onClose }: FixMatchProps) {
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const { account } = useNames()
  const { data: manual, error: failed } = useRead(['manual', 'providers'], 'GET /api/manual/providers')
  const [chosen, setChosen] = useState<string | null>(null)
  const [right, setRight] = useState<Work | null>(null)
  const [result, setResult] = useState<Result | null>(null)
  const [error, setError] = useState<Error | null>(null)
  const [isBusy, setBusy] = useState(false)
  const hasPart = ({ provider, instance }: Says) =>
    part?.accounts.some((one) => one.provider === provider && one.instance === instance) !== false
  const rows = title.says.filter(hasPart)
  const [place, setPlace] = useState<Place | undefined>(part)
  const wrong = rows.find((row) => idOf(row) === chosen)
  const nameOfAccount = ({ provider, instance }: Says) => account(provider, instance)
  // Playhead supplies ids that a media server lacks; a wrong match is corrected at the media server.
  const canMatch = (row: Says) =>
    manual?.providers.some(
      (one) =>
        one.provider === row.provider && one.instance === row.instance && (one.can_match || !hasSharedId(row.ids)),
    ) === true
  const name = wrong === undefined ? '' : account(wrong.provider, wrong.instance)
  const atServers = manual === undefined ? [] : [...new Set(rows.filter((row) => !canMatch(row)).map(nameOfAccount))]
  const isOther = right !== null && right.type !== title.kind
  const isSamePlace = place?.season === part?.season && place?.episode === part?.episode
  const isSame =
    isSamePlace &&
    right !== null &&
    wrong !== undefined &&
    SCHEMES.some((one) => isEqual(right.ids[one], wrong.ids[one]))

  async function send(isDry: boolean, to: Work) {
    if (wrong === undefined) return
    setBusy(true)
    setError(null)
    try {
      const answer = await api('POST /api/manual/match', {
        body: {
          provider: wrong.provider,
          instance: wrong.instance,
          from: { type: title.kind as 'movie', ids: wrong.ids, ...numbersOf(part) },
          to: { type: to.type, ids: to.ids, title: to.title, year: to.year, ...numbersOf(place) },
          dry_run: isDry,
        },
      })
      setResult(answer)
      if (!isDry) notifyDone(say(answer.remembered ? texts.kept : texts.done, { service: name, title: nameOf(to) }))
    } catch (caught) {
      setError(caught as Error)
    } finally {
      setBusy(false)
      if (!isDry) await client.invalidateQueries({ queryKey: ['library'] })
    }
  }

  async function undo(plans: readonly string[]) {
    setBusy(true)
    try {
      const left = await undoPlans(plans, () => {})
      if (left.length === 0) notifyDone(texts.undone)
      else notifyFailure(new Error(left.join(' ')), texts.undonePartly)
      onClose()
    } catch (caught) {
      notifyFailure(caught)
    } finally {
      setBusy(false)
      await client.invalidateQueries({ queryKey: ['library'] })
    }
  }

  function choose(work: Work | null) {
    setRight(work)
    setResult(null)
    setError(null)
    if (work !== null && work.type === title.kind && part === undefined) void send(true, work)
  }

  /** An episode is usually another one of the same show. */
  function chooseWrong(value: string) {
    setChosen(value)
    choose(
      part === undefined ? null : { type: 'show', title: title.title, year: title.year, ids: title.ids as Work['ids'] },
    )
  }

  if (result !== null && !result.dry_run && right !== null) {
    const plans = result.features.flatMap(({ plan_ids: ids }) => ids).toReversed()
    return (
      <Stack>
        <Moved result={result} />
        <Group justify="flex-end">
          {plans.length === 0 ? null : (
            <Button variant="default" loading={isBusy} onClick={() => void undo(plans)}>
              {texts.undo}
            </Button>
          )}
          <Button
            onClick={() => {
              onClose()
              const [scheme, id] = Object.entries(right.ids)[0] ?? []
              if (result.ok) navigate(titleAddress(`${right.type}:${scheme}:${id}`))
            }}
          >
            {result.ok ? texts.toTitle : texts.close}
          </Button>
        </Group>
      </Stack>
    )
  }
  return (
    <Stack>
      {failed === null ? null : <Failure error={failed} />}
      {rows.length === 0 ? <Text>{texts.nothing}</Text> : null}
      <Radio.Group label={texts.where} description={texts.whereText} value={chosen} onChange={chooseWrong}>
        <Stack gap="xs" mt="sm">
          {rows.map((row) => (
            <Radio
              key={idOf(row)}
              value={idOf(row)}
              disabled={!canMatch(row)}
              label={
                <Group gap="xs" wrap="nowrap">
                  <ServiceMark provider={row.provider} size={20} />
                  <span className="grow">
                    <b>{account(row.provider, row.instance)}</b>{' '}
                    {row.year === null ? (row.title ?? '') : `${row.title ?? ''} (${row.year})`}
                  </span>
                </Group>
              }
              description={Object.entries(row.ids)
                .map(([scheme, id]) => `${scheme} ${id}`)
                .join(' · ')}
            />
          ))}
        </Stack>
      </Radio.Group>
      {atServers.length === 0 ? null : (
        <Text size="sm" c="dimmed">
          {say(texts.atServer, { services: LIST.format(atServers) })}
        </Text>
      )}
      {wrong === undefined ? null : right === null ? (
        <TitleSearch label={say(texts.search, { service: name })} onChoose={choose} />
      ) : (
        <ChosenTitle work={right} onChange={() => choose(null)} />
      )}
      {place === undefined || right === null ? null : (
        <Group gap="sm">
          {(['season', 'episode'] as const).map((name) => (
            <NumberInput
              key={name}
              label={texts[name]}
              value={place[name]}
              min={name === 'season' ? 0 : 1}
              max={100_000}
              allowDecimal={false}
              w="8rem"
              onChange={(value) => {
                if (typeof value === 'number') setPlace({ ...place, [name]: value })
                setResult(null)
                setError(null)
              }}
            />
          ))}
        </Group>
      )}
      {isOther ? <Alert color="yellow">{texts.otherType}</Alert> : null}
      {isSame ? <Alert color="yellow">{texts.same}</Alert> : error === null ? null : <Failure error={error} />}
      {result === null || !result.dry_run ? null : (
        <>
          <Text size="sm">{say(result.remembered ? texts.keep : texts.preview, { service: name })}</Text>
          <Moved result={result} />
          <Text size="sm" c="dimmed">
            {result.remembered ? say(texts.keepText, { service: name }) : texts.previewText}
          </Text>
        </>
      )}
      <Group justify="flex-end">
        <Button variant="default" onClick={onClose}>
          {titlePage.dialog.cancel}
        </Button>
        {part !== undefined && result === null ? (
          <Button
            loading={isBusy}
            disabled={right === null || isSame || isOther}
            onClick={() => {
              if (right !== null) void send(true, right)
            }}
          >
            {texts.check}
          </Button>
        ) : (
          <Button
            loading={isBusy}
            disabled={result === null || right === null || result.features.every(({ rows: n, left }) => n === left)}
            onClick={() => {
              if (right !== null) void send(false, right)
            }}
          >
            {result?.remembered === true ? texts.goKeep : texts.go}
          </Button>
        )}
      </Group>
    </Stack>
  )
}

function Moved({ result }: { readonly result: Result }) {
  const featureName = useFeatureNames()
  return (
    <Stack gap="2xs" component="ul" className="plain-list">
      {result.features.map(({ feature, rows, moved, left, problems }) => (
        <li key={feature}>
          <Text size="sm" fw={600}>
            {featureName(feature)}: {say(texts.rows, { n: result.dry_run ? rows - left : moved })}
          </Text>
          {linesOf(problems).map((line) => (
            <Text key={line} size="sm" c="dimmed">
              {line}
            </Text>
          ))}
          {left > SHOWN ? (
            <Text size="sm" c="dimmed">
              {say(texts.more, { n: left - SHOWN })}
            </Text>
          ) : null}
        </li>
      ))}
    </Stack>
  )
}

function linesOf(problems: Result['features'][number]['problems']): readonly string[] {
  const lines = problems
    .slice(0, SHOWN)
    .map(({ season, episode, reason }) =>
      [episodeCode(season, episode), say(texts.stays, { reason: reasonText(reason) })]
        .filter((part) => part !== '')
        .join(' · '),
    )
  return [...new Set(lines)]
}

function idOf({ provider, instance, ids }: Says): string {
  return JSON.stringify([provider, instance, ids])
}

function hasSharedId(ids: Says['ids']): boolean {
  return SCHEMES.some((scheme) => ids[scheme] !== undefined)
}

function isEqual(one: string | undefined, other: string | undefined): boolean {
  return one !== undefined && one === other
}

function numbersOf(place: Place | undefined): Partial<Place> {
  return place === undefined ? {} : { season: place.season, episode: place.episode }
}

function nameOf({ title, year }: Work): string {
  return year === null ? title : `${title} (${year})`
}
