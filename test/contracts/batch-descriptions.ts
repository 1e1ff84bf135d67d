// Descriptions of queues, compute environments and job definitions by AWS Batch, in the shapes of the SDK's types.

export type BatchReply = Readonly<Record<string, unknown>>;

/** A queue over one Spot environment with GPUs, and two job definitions, as they should be. */
export const QUEUE = {
  jobQueueName: 'evo',
  jobQueueArn: 'arn:aws:batch:eu-west-1:111122223333:job-queue/evo',
  state: 'ENABLED',
  status: 'VALID',
  statusReason: 'JobQueue Healthy',
  priority: 1,
  computeEnvironmentOrder: [
    {
      order: 1,
      computeEnvironment: 'arn:aws:batch:eu-west-1:111122223333:compute-environment/evo-spot',
    },
  ],
} as const;

export const ENVIRONMENT = {
  computeEnvironmentName: 'evo-spot',
  computeEnvironmentArn: 'arn:aws:batch:eu-west-1:111122223333:compute-environment/evo-spot',
  type: 'MANAGED',
  state: 'ENABLED',
  status: 'VALID',
  statusReason: 'ComputeEnvironment Healthy',
  containerOrchestrationType: 'ECS',
  computeResources: {
    type: 'SPOT',
    allocationStrategy: 'SPOT_PRICE_CAPACITY_OPTIMIZED',
    minvCpus: 0,
    maxvCpus: 64,
    desiredvCpus: 0,
    instanceTypes: ['g5', 'g6.2xlarge'],
    subnets: ['subnet-0123456789abcdef0'],
  },
} as const;

export function definition(more: BatchReply = {}): BatchReply {
  return {
    jobDefinitionName: 'evo',
    jobDefinitionArn: 'arn:aws:batch:eu-west-1:111122223333:job-definition/evo:1',
    revision: 1,
    status: 'ACTIVE',
    type: 'container',
    platformCapabilities: ['EC2'],
    containerProperties: {
      image: '111122223333.dkr.ecr.eu-west-1.amazonaws.com/evotrainer:1',
      jobRoleArn: 'arn:aws:iam::111122223333:role/evo-job',
      resourceRequirements: [
        { type: 'VCPU', value: '4' },
        { type: 'MEMORY', value: '15000' },
      ],
      ...more,
    },
  };
}

export const GATE_SECRET_ENTRY = {
  name: 'EVO_GATE_SECRET',
  valueFrom: 'arn:aws:secretsmanager:eu-west-1:111122223333:secret:evo/gate-AbCdEf',
};

export const FINE: Readonly<Record<string, BatchReply>> = {
  '/v1/describejobqueues': { jobQueues: [QUEUE] },
  '/v1/describecomputeenvironments': { computeEnvironments: [ENVIRONMENT] },
};
