/** The approval that the kernel consults: the run's recorded policy, and what a person answered `always` to. */
import type { Approval, Call } from '../../kernel/approval.ts'
import type { ApprovalConfig } from '../../protocol/index.ts'
import { decide } from './decide.ts'
import { type Policy, parsePolicy } from './policy.ts'
import { alwaysAllow, approvalQuestion, verdictOf } from './question.ts'

export function createApproval(): Approval {
  /** A run's configuration is one object, whose rules are parsed once. */
  const policies = new WeakMap<ApprovalConfig, Policy>()

  function policyOf(config: ApprovalConfig): Policy {
    const known = policies.get(config)
    if (known !== undefined) return known
    const policy = parsePolicy(config, config.workspace)
    policies.set(config, policy)
    return policy
  }

  return {
    decide({ approval }, { tool, input }, granted) {
      if (approval === undefined) return { verdict: 'allow' }
      const { verdict, rule } = decide(withGrants(policyOf(approval), granted), tool, input)
      if (verdict === 'deny') return { verdict, reason: `${tool.name} is not allowed here (${rule})` }
      if (verdict === 'allow' || approval.asks === 'yes') return { verdict: 'allow' }
      if (approval.asks === 'person') return { verdict: 'ask', question: approvalQuestion(tool, input) }
      const reason = `${tool.name} needs a person's permission, and nobody is there to ask: allow it in the policy, or with --yes`
      return { verdict: 'deny', reason }
    },
    read(answer) {
      const { verdict, always } = verdictOf(answer)
      return { allowed: verdict === 'allow', always }
    },
  }
}

function withGrants(policy: Policy, granted: readonly Call[]): Policy {
  return granted.reduce((sum, { tool, input }) => alwaysAllow(sum, tool, input), policy)
}
