// Saves the current screen as a view with a name, or adds a note to its charts.
import type { JSX } from 'preact'
import { useState } from 'preact/hooks'
import { route } from '../../state/navigation.ts'
import { saveView } from '../../state/saved-views.ts'
import { handleUnauthorized } from '../../state/session.ts'
import { Icon } from '../controls/icon.tsx'
import { Popover } from '../controls/popover.tsx'
import { Tabs } from '../controls/tabs.tsx'
import { lazy } from '../lazy.tsx'
import './query-bar.css'

const AnnotationForm = lazy(async () => (await import('./annotation-form.tsx')).AnnotationForm)

const KINDS = [
  { value: 'view', title: 'Save view' },
  { value: 'note', title: 'Add note' },
] as const

export function SaveView(): JSX.Element {
  const [open, setOpen] = useState(false)
  const [kind, setKind] = useState<'view' | 'note'>('view')
  return (
    <Popover
      open={open}
      onOpen={setOpen}
      align="right"
      title="Save view or add note"
      buttonClass="icon"
      label={<Icon name="bookmark" />}
    >
      <div class="popover-body save-tabs">
        <Tabs label="Save" options={KINDS} value={kind} onChange={setKind} />
      </div>
      {kind === 'view' ? <ViewForm onSaved={() => setOpen(false)} /> : <AnnotationForm />}
    </Popover>
  )
}

function ViewForm({ onSaved }: { readonly onSaved: () => void }): JSX.Element {
  const [name, setName] = useState('')
  const [problem, setProblem] = useState('')
  const submit = async (): Promise<void> => {
    try {
      await saveView(name.trim(), route.peek())
      onSaved()
    } catch (error) {
      handleUnauthorized(error)
      setProblem(error instanceof Error ? error.message : String(error))
    }
  }
  return (
    <>
      <form
        class="popover-body filter-form"
        onSubmit={event => {
          event.preventDefault()
          void submit()
        }}
      >
        <input
          type="text"
          aria-label="Name of the view"
          placeholder="Name"
          maxLength={200}
          value={name}
          ref={field => field?.focus()}
          onInput={event => setName(event.currentTarget.value)}
        />
        <button type="submit" class="primary" disabled={name.trim() === ''}>
          Save
        </button>
      </form>
      <p class="popover-body muted">
        {problem === '' ? 'Saved views are on the Services screen, for everybody in this tenant.' : problem}
      </p>
    </>
  )
}
