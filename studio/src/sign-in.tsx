import { type FormEvent, useState } from 'react'
import { signIn } from './data/session.ts'
import { useWords } from './preferences.ts'
import { FRAME_WORDS } from './words.ts'

/** In place of all views, while the service needs a token. */
export function SignIn() {
  const words = useWords(FRAME_WORDS)
  const [isWrong, setWrong] = useState(false)
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    const token = String(new FormData(event.currentTarget).get('token')).trim()
    setWrong(!(await signIn(token)))
  }
  return (
    <main className="empty" id="content">
      <form onSubmit={submit}>
        <h1>{words.signIn}</h1>
        <p>{words.signInHow}</p>
        <label>
          {words.token} <input name="token" type="password" autoComplete="off" required />
        </label>{' '}
        <button type="submit">{words.enter}</button>
        {isWrong && <p role="alert">{words.wrongToken}</p>}
      </form>
    </main>
  )
}
