// The options of a way.
import { Button, Group, Modal, Stack } from '@mantine/core'
import { useState } from 'react'
import { notifyDone } from '../../parts/dialogs/notify.ts'
import { Failure } from '../../parts/page/failure.tsx'
import { scrobbling } from '../../texts/en/scrobbling.ts'
import { say } from '../../texts/say.ts'
import { ratersOf } from './add-dialog.tsx'
import { draftOfRoute, draftOfWebhook, filtersOf, NEW_DRAFT, optionsOf, webhookOptionsOf } from './draft.ts'
import { fieldErrors } from './field-errors.ts'
import { OPTION_FIELDS, OptionsFields } from './options-fields.tsx'
import { useSave, type Overview, type Way } from './use-overview.ts'

const { form: texts } = scrobbling

/** `way: null` closes the dialog. */
export function EditDialog({
  way,
  overview,
  onClose,
}: {
  readonly way: Way | null
  readonly overview: Overview
  readonly onClose: () => void
}) {
  const name = say(scrobbling.wayName, { source: way?.sourceName ?? '', sink: way?.sinkName ?? '' })
  return (
    <Modal opened={way !== null} onClose={onClose} size="lg" title={say(texts.editTitle, { name })}>
      {way === null ? null : <EditForm key={way.key} way={way} overview={overview} onClose={onClose} />}
    </Modal>
  )
}

function EditForm({
  way,
  overview,
  onClose,
}: {
  readonly way: Way
  readonly overview: Overview
  readonly onClose: () => void
}) {
  const save = useSave()
  const { route, webhook, source } = way
  const [draft, setDraft] = useState(() =>
    route !== undefined ? draftOfRoute(route) : webhook !== undefined ? draftOfWebhook(webhook) : NEW_DRAFT,
  )
  const [error, setError] = useState<unknown>(null)
  const [isBusy, setBusy] = useState(false)
  const errors = fieldErrors(error, OPTION_FIELDS)
  const raters = ratersOf(overview).filter(({ value }) => route !== undefined || value === way.sink)

  async function submit() {
    setBusy(true)
    setError(null)
    try {
      const saved =
        route !== undefined
          ? await save('PUT /api/scrobbler/routes/{route_id}', {
              params: { route_id: route.id },
              body: { filters: filtersOf(draft, route.filters), options: optionsOf(draft) },
            })
          : webhook === undefined
            ? undefined
            : await save('POST /api/scrobbler/webhooks/profile', {
                body: {
                  provider: way.provider,
                  provider_instance: way.instance,
                  filters: filtersOf(
                    draft,
                    webhook.explicit_settings['filters'] as Record<string, unknown> | undefined,
                  ),
                  ...webhookOptionsOf(draft, webhook, source?.ratings === true && raters.length > 0),
                },
              })
      if (saved === undefined) return
      notifyDone(texts.saved)
      onClose()
    } catch (failure) {
      setError(failure)
    } finally {
      setBusy(false)
    }
  }

  return (
    <form
      noValidate
      onSubmit={(event) => {
        event.preventDefault()
        void submit()
      }}
    >
      <Stack>
        <OptionsFields
          draft={draft}
          onChange={setDraft}
          errors={errors}
          isLive={route !== undefined}
          source={source}
          sourceName={way.sourceName}
          overview={overview}
          raters={raters}
        />
        {error === null || (Object.keys(errors).length > 0 && errors['other'] === undefined) ? null : (
          <Failure error={error} text={errors['other']} />
        )}
        <Group justify="flex-end">
          <Button variant="default" onClick={onClose}>
            {texts.cancel}
          </Button>
          <Button type="submit" loading={isBusy}>
            {texts.save}
          </Button>
        </Group>
      </Stack>
    </form>
  )
}
