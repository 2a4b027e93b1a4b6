/** What the strategies that ship say of themselves, and what their options are for, in Chinese; in English they say it themselves. */

/** As a service describes it. */
interface Described {
  readonly name: string
  readonly summary: string
  readonly options: Readonly<Record<string, unknown>>
}

interface StrategyWords {
  readonly summary: string
  readonly options: Readonly<Record<string, string>>
}

const CHECK = '结束前是否把结果与目标对照检查'
const REPEATS = '同样的子目标重复多少次而没有新内容时提醒模型；再重复一次即拒绝'
const CALL_REPEATS = '同样的工具调用或子目标重复多少次而没有新结果时提醒模型；再重复一次即拒绝'

export const CHINESE: Readonly<Record<string, StrategyWords>> = {
  auto: {
    summary: '看目标需要什么，再从其他策略中选一个：按规则，或用一次廉价的模型调用',
    options: { check: CHECK, options: '给所选策略的选项，按策略名填写' },
  },
  'best-of': {
    summary: '多次作答，取程序验证通过的或多数样本一致的答案',
    options: {
      samples: '最多取多少个样本（5）',
      concurrency: '最多同时取多少个样本（5）',
      temperature: '样本之间的差异程度（0.7）',
      strategy: '用哪个策略求解每个样本；不填则为单次调用',
      verify: '能用程序检查答案时就检查',
    },
  },
  cot: {
    summary: '思维链：每一步评判上一步，完成计划中的一步，再重写计划',
    options: {
      maxThoughts: '这么多步之后就用已有的内容收尾（20）',
      maxRepeats: '计划连续多少步不变时提醒模型；再不变就结束该块',
      role: '由哪个模型思考',
      strategies: '告诉模型可用来求解某一步的策略',
      check: CHECK,
    },
  },
  dual: {
    summary: '规划任务，审核计划，再逐个在动作循环中执行，循环中还可以再规划',
    options: {
      review: '谁审核计划和任务：人（manual）、无人（auto），或由模型发现风险时再问人（ai）',
      concurrency: '同时执行的任务数（1）',
      blueprint:
        '预制的计划：code-audit、documentation、migration、security-review，或 .thinkon/blueprints 中的一个',
      params: '蓝图的参数',
      maxRepeats: CALL_REPEATS,
      riskThreshold: '由模型判断风险时，从这个风险值起询问人',
      maxIterations: '一个任务的循环次数上限；到达后以已有结果部分完成',
      maxPlanIterations: '制定计划的循环次数上限',
      maxReplans: '任务失败后最多修补计划几次',
      sameActionTypeSpinThreshold: '连续多少个相同动作算作原地打转',
      sameLogicSpinThreshold: '连续多少次被判为原地打转就结束循环',
      reflection: '模型回顾自己做过的事：每隔一段、失败之后、原地打转时',
      memory: '检索工作区的记忆，并保存任务学到的内容',
      allowToolCall: '任务可以使用工具',
      allowPlanAndExec: '任务可以在其下规划并执行一个目标',
      allowAIForge: '任务可以执行蓝图',
      allowRAG: '任务可以检索工作区的记忆和文件',
      allowUserInteract: '任务可以询问人',
      strategies: '任务可用来求解目标的策略',
      contexts: '作为数据放进每个提示的具名文本',
      plan: '预制的计划：main_task、main_task_goal、tasks',
      tools: '可以使用的工具；不填则为全部',
      prompt: '给每个循环的文本',
      init: '给计划及其任务的文本',
      close: '给总结的文本',
      check: CHECK,
    },
  },
  fractal: {
    summary: '思考，用文字规划，逐个调用子目标，并评判其结果',
    options: {
      maxRepeats: REPEATS,
      maxToolCalls: '一次思考中的工具调用数；之后不带工具再问一次',
      thinkRole: '由哪个模型思考',
      evalRole: '由哪个模型评判',
      strategies: '可用来求解子目标的策略',
      maxDepth: '最深的层级，根为第 0 层；不填则按运行的限制',
      maxBlockTimeMs: '根以下的一个块连同其下全部内容的活动时间',
      maxTokens: '整棵树的 token 数；不填则按运行的限制',
      maxTimeMs: '整棵树的活动时间；不填则按运行的限制',
      check: CHECK,
    },
  },
  minimal: {
    summary: '让模型自由行动：规划、调用、用工具、提问、返回；最小的策略',
    options: {
      timelineChars: '模型端口之后的程序能看到时间线的多少个字符',
      maxRepeats: CALL_REPEATS,
    },
  },
  planner: {
    summary: '通过两道关卡（证据、能力）规划下一个块，执行，再按目标的四个要素反思',
    options: {
      maxRepeats: REPEATS,
      maxDepth: '祖先达到这么多的块不再规划，直接执行；不填则按运行的限制',
      tools: '运行的每个工具都是执行器，而不只是 executors.yaml 中的和只读的工具',
      strategies: '计划可以指定为执行器的策略',
      probeStrategy: '用来检验假设的策略',
      check: CHECK,
    },
  },
  tot: {
    summary: '思维树：生成、评判候选并搜索最佳路径；答案经过验证',
    options: {
      search: '搜索方式：BFS、DFS、best-first 或 mcts；不填则按任务类型',
      depth: '一条路径上最多的思考数',
      branching: '每个思考要求多少个候选',
      beam: '每层保留多少个思考（5）',
      adaptive: '评判一致时少保留，不一致时最多保留两倍',
      threshold: '确定低于此分的思考被剪掉',
      trees: '生长多少棵独立的树；答案由投票决定（1）',
      task_type:
        '任务类型：math_reasoning、creative_writing、planning、architecture_design、debugging 或 auto',
      log_dir: '日志文件夹放在哪里（存储所在文件夹的 logs）',
      revise: '修改多少条失败的路径，并告知错在哪里（0）',
      generation: '候选由一次调用提出，还是逐个采样；不填则按任务类型',
      evaluation: '逐个打分，还是一起投票；不填则按任务类型',
      selection: '保留最好的思考，还是按分数抽取',
      merge: '到达同一状态的思考只展开和评判一次',
      remember: '评判过的状态保留其分数',
      verify: '哪些答案由程序检查：全部、最后一层留下的，或只有最终的一个（false）',
      recompute: '算术状态由程序算出，错误的算术被丢弃',
      concurrency: '同时展开多少个父节点、多少棵树；不填则为全部',
      samples: '一个思考打分几次',
      votes: '比较候选时投几次票',
      widen: '没有找到时，放宽一倍再搜索一次',
      max_nodes: '一次搜索最多产生多少个思考',
      iterations: '蒙特卡洛树搜索的轮数',
      exploration: '蒙特卡洛树搜索偏向少试过的分支的程度',
      solver: '求解需要单独工作（包括工具）的思考的策略',
      generator: '思考来自这个策略的块，而不是生成器',
      check: CHECK,
    },
  },
}

/** A strategy as it is shown: what is not translated stays as it is. */
export function strategyIn<T extends Described>(lang: 'en' | 'zh', strategy: T): T {
  const words = lang === 'zh' ? CHINESE[strategy.name] : undefined
  if (words === undefined) return strategy
  const { properties = {}, ...rest } = strategy.options as { properties?: Record<string, object> }
  const described = Object.entries(properties).map(([name, schema]) => {
    const description = words.options[name]
    return [name, description === undefined ? schema : { ...schema, description }]
  })
  return {
    ...strategy,
    summary: words.summary,
    options: { ...rest, properties: Object.fromEntries(described) },
  }
}
