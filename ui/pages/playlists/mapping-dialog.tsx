// Creates or edits the sync of a list. Unknown lists become endpoints when it is saved.
import { Alert, Button, Checkbox, Divider, Group, Modal, Radio, Select, Stack, TextInput } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { useLocation } from 'wouter'
import { api } from '../../api/client.ts'
import type { ApiError } from '../../api/error.ts'
import { useRead } from '../../api/query.ts'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { acrossPersons } from '../../parts/persons/persons.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { Loading } from '../../parts/page/loading.tsx'
import { playlists } from '../../texts/en/playlists.ts'
import { say } from '../../texts/say.ts'
import { type Choice, endpointFor, NEW, type Place, PlaceFields } from './place-fields.tsx'
import { addressOf, KEY, type Account, type List, type Mapping, OVERVIEW, type Overview, toName } from './state.ts'
import { idOf } from './use-lists.ts'

const { dialog: texts } = playlists
const MEMBERSHIPS = ['managed_only', 'add_only', 'mirror'] as const
const PLAIN = ''

/** A new sync, perhaps of a preselected list, or an existing sync to edit. */
export interface Draft {
  readonly mapping: Mapping | null
  readonly source?: List
}

export function MappingDialog({ draft, onClose }: { readonly draft: Draft; readonly onClose: () => void }) {
  const { mapping } = draft
  const accounts = useRead([...KEY, 'accounts'], 'GET /api/playlists/providers')
  const overview = useRead(OVERVIEW, 'GET /api/playlists/overview')
  const isReady = accounts.data !== undefined && overview.data !== undefined
  const error = accounts.error ?? overview.error
  return (
    <Modal
      opened
      onClose={onClose}
      size="lg"
      title={mapping === null ? texts.newTitle : say(texts.editTitle, { name: mapping.name })}
    >
      {error !== null ? (
        <Failure error={error} />
      ) : isReady ? (
        <Form
          draft={draft}
          accounts={accounts.data.providers.filter(({ configured }) => configured)}
          overview={overview.data}
          onClose={onClose}
        />
      ) : (
        <Loading rows={6} />
      )}
    </Modal>
  )
}

interface FormProps {
  readonly draft: Draft
  readonly accounts: readonly Account[]
  readonly overview: Overview
  readonly onClose: () => void
}

function Form({ draft: { mapping, source: given }, accounts, overview, onClose }: FormProps) {
  const client = useQueryClient()
  const [, navigate] = useLocation()
  const placeOf = (ids: readonly string[]): Place => {
    const found = overview.endpoints.filter(({ id }) => ids.includes(id))
    const [first] = found
    return {
      account: first === undefined ? null : idOf(first),
      lists: found.map((one): Choice => (one.playlist_id === '' ? { endpoint: one.id } : { id: one.playlist_id })),
      newName: '',
    }
  }
  const [name, setName] = useState(mapping?.name ?? (given === undefined ? '' : toName(given.name)))
  const [isNamed, setNamed] = useState(mapping !== null)
  const [source, setSource] = useState<Place>(() =>
    given === undefined
      ? placeOf(mapping === null ? [] : [mapping.source_endpoint])
      : { account: idOf(given), lists: [{ id: given.id }], newName: '' },
  )
  const [target, setTarget] = useState<Place>(() => placeOf(mapping?.target_endpoints ?? []))
  const [membership, setMembership] = useState(mapping?.membership ?? 'managed_only')
  const [isOrdered, setOrdered] = useState(mapping?.order === 'preserve')
  const [ruleset, setRuleset] = useState(mapping?.ruleset_id ?? PLAIN)
  const [isConfirmed, setConfirmed] = useState(mapping?.confirm_destructive === true)
  const [isTried, setTried] = useState(false)
  const rulesets = useRead([...KEY, 'rulesets'], 'GET /api/playlists/rulesets')
  const made = useRef(new Map<string, string>())
  const [needsConfirmation, setNeedsConfirmation] = useState<string | null>(isConfirmed ? '' : null)

  const save = useMutation<Mapping | undefined, ApiError>({
    mutationFn: async () => {
      const endpoint = (place: Place, choice: Choice) =>
        endpointFor({ place, choice, accounts, overview, made: made.current, name })
      const targets: string[] = []
      const from = await endpoint(source, source.lists[0]!)
      for (const choice of target.lists) targets.push(await endpoint(target, choice))
      const answer = await acrossPersons((confirmed) =>
        api('POST /api/playlists/mappings', {
          body: {
            id: mapping?.id,
            name: toName(name),
            source_endpoint: from,
            target_endpoints: targets,
            ruleset_id: ruleset,
            membership,
            order: isOrdered ? 'preserve' : 'ignore',
            confirm_destructive: isConfirmed,
            ...confirmed,
          },
        }),
      )
      return answer?.mapping
    },
    onSuccess: async (saved) => {
      if (saved === undefined) return
      await client.invalidateQueries({ queryKey: KEY })
      void client.invalidateQueries({ queryKey: ['pairs'] })
      notifyDone(say(texts.saved, { name: saved.name }))
      onClose()
      if (mapping === null) navigate(`${addressOf(saved.id)}?preview`)
    },
    onError: (error) => {
      if (error.code === 'confirmation_required') setNeedsConfirmation(error.message)
      // Offer the new endpoints from now on.
      void client.invalidateQueries({ queryKey: OVERVIEW })
    },
  })

  const isSame =
    source.account === target.account &&
    source.lists.some(({ id }) => id !== NEW && id !== undefined && target.lists.some((one) => one.id === id))
  const errors = {
    name: toName(name) === '' ? texts.missingName : null,
    source: source.lists.length === 0 ? texts.missingSource : null,
    target: target.lists.length === 0 ? texts.missingTarget : isSame ? texts.same : null,
  }
  const isComplete = Object.values(errors).every((one) => one === null)
  const hasRules = ruleset !== PLAIN
  const canOrder = target.canOrder !== false
  const shown = (error: string | null) => (isTried ? error : null)

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        setTried(true)
        if (isComplete) save.mutate()
      }}
    >
      <Stack>
        <PlaceFields
          legend={texts.source}
          accounts={accounts}
          overview={overview}
          place={source}
          error={shown(errors.source)}
          onPlace={(next, list) => {
            setSource(next)
            if (!isNamed && list !== undefined) setName(toName(list.name))
          }}
        />
        <Divider />
        <PlaceFields
          legend={texts.target}
          accounts={accounts}
          overview={overview}
          place={target}
          error={shown(errors.target)}
          onPlace={setTarget}
          isTarget
          isMultiple={hasRules}
          suggestion={toName(name, 100)}
        />
        <Divider />
        <TextInput
          label={texts.name}
          description={texts.nameText}
          value={name}
          maxLength={64}
          dir="auto"
          error={shown(errors.name)}
          onChange={(event) => {
            setName(event.currentTarget.value)
            setNamed(true)
          }}
        />
        {hasRules ? (
          <Alert>{texts.rulesetDecides}</Alert>
        ) : (
          <>
            <Radio.Group label={texts.membership} value={membership} onChange={setMembership}>
              <Stack gap="xs" mt="xs">
                {MEMBERSHIPS.map((one) => (
                  <Radio
                    key={one}
                    value={one}
                    label={texts.memberships[one]}
                    description={texts.membershipTexts[one]}
                  />
                ))}
              </Stack>
            </Radio.Group>
            <Checkbox
              label={texts.order}
              description={canOrder ? undefined : texts.noOrder}
              checked={isOrdered && canOrder}
              disabled={!canOrder}
              onChange={(event) => setOrdered(event.currentTarget.checked)}
            />
          </>
        )}
        <Select
          label={texts.ruleset}
          description={texts.rulesetText}
          data={[
            { value: PLAIN, label: texts.noRuleset },
            ...(rulesets.data?.rulesets ?? []).map(({ id, name: label }) => ({ value: id, label })),
          ]}
          value={ruleset}
          onChange={(next) => {
            setRuleset(next ?? PLAIN)
            if ((next ?? PLAIN) === PLAIN) setTarget((before) => ({ ...before, lists: before.lists.slice(0, 1) }))
          }}
          allowDeselect={false}
        />
        {needsConfirmation === null ? null : (
          <Checkbox
            label={needsConfirmation === '' ? texts.lossyPlain : say(texts.lossy, { warning: needsConfirmation })}
            checked={isConfirmed}
            onChange={(event) => setConfirmed(event.currentTarget.checked)}
          />
        )}
        {mapping === null ? null : <Alert color="gray">{texts.restart}</Alert>}
        {save.error === null ? null : <Failure error={save.error} />}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.cancel}
          </Button>
          <Button type="submit" loading={save.isPending}>
            {mapping === null ? texts.create : texts.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
