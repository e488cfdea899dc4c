// The dialog that stops a title: everywhere, or at chosen accounts.
import { Button, Checkbox, Group, Modal, Radio, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useChange, useRead } from '../../api/query.ts'
import { titlePage } from '../../texts/en/title.ts'
import { say } from '../../texts/say.ts'
import { notifyDone } from '../dialogs/notify.ts'
import { Failure } from '../page/failure.tsx'
import { useNames } from '../values/names.ts'
import { ServiceMark } from '../values/service-mark.tsx'
import { STOPPED, type Stop, type StopTarget } from './stopped.ts'

const texts = titlePage.stop

interface StopSyncProps {
  readonly target: StopTarget
  /** The stop that this one replaces. */
  readonly stop?: Stop | undefined
  readonly onClose: () => void
}

export default function StopSync(props: StopSyncProps) {
  return (
    <Modal opened onClose={props.onClose} title={say(texts.title, { title: props.target.title })}>
      <Form {...props} />
    </Modal>
  )
}

function Form({ target, stop, onClose }: StopSyncProps) {
  const { account } = useNames()
  const { data, error } = useRead(['pairs', 'status'], 'GET /api/pairs/status')
  const [isEverywhere, setEverywhere] = useState((stop?.accounts ?? null) === null)
  const [chosen, setChosen] = useState<readonly string[]>((stop?.accounts ?? []).map(idOf))
  const {
    mutate,
    isPending,
    error: refused,
  } = useChange('POST /api/stopped-titles', { refresh: [STOPPED, ['library']] })
  const accounts = new Map(
    (data?.pairs ?? [])
      .flatMap((pair) => [
        { provider: pair.source, instance: pair.source_instance },
        { provider: pair.target, instance: pair.target_instance },
      ])
      .map((one) => [idOf(one), one]),
  )
  const wanted = isEverywhere ? null : chosen.flatMap((id) => accounts.get(id) ?? [])

  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        mutate(
          { body: { names: [...target.names], title: target.title, year: target.year, accounts: wanted } },
          {
            onSuccess: () => {
              notifyDone(say(texts.done, { title: target.title }))
              onClose()
            },
          },
        )
      }}
    >
      <Stack>
        <Text size="sm">{texts.text}</Text>
        {error === null ? null : <Failure error={error} />}
        {refused === null ? null : <Failure error={refused} />}
        <Radio.Group
          label={texts.where}
          value={isEverywhere ? 'everywhere' : 'chosen'}
          onChange={(value) => setEverywhere(value === 'everywhere')}
        >
          <Stack gap="xs" mt="xs">
            <Radio value="everywhere" label={texts.everywhere} description={texts.everywhereText} />
            <Radio value="chosen" label={texts.chosen} description={texts.chosenText} disabled={accounts.size === 0} />
          </Stack>
        </Radio.Group>
        {isEverywhere ? null : (
          <Checkbox.Group label={texts.accounts} value={[...chosen]} onChange={setChosen}>
            <Stack gap="xs" mt="xs">
              {[...accounts].map(([id, { provider, instance }]) => (
                <Checkbox
                  key={id}
                  value={id}
                  label={
                    <Group gap="xs" wrap="nowrap">
                      <ServiceMark provider={provider} size={18} />
                      {account(provider, instance)}
                    </Group>
                  }
                />
              ))}
            </Stack>
          </Checkbox.Group>
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {titlePage.dialog.cancel}
          </Button>
          <Button type="submit" data-autofocus loading={isPending} disabled={wanted?.length === 0}>
            {texts.go}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}

function idOf({ provider, instance }: { readonly provider: string; readonly instance: string }): string {
  return `${provider}@${instance}`
}
