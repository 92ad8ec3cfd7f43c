"""A client of the gRPC edge made by grpcio's generator: signs in, lists environments and watches frames. Prints one line of JSON."""
import json
import sys

import grpc
from wavepose.v1 import auth_pb2, auth_pb2_grpc, environment_pb2, environment_pb2_grpc, pose_pb2, pose_pb2_grpc

address, password, environment = sys.argv[1:]
channel = grpc.insecure_channel(address)
signed_in = auth_pb2_grpc.AuthServiceStub(channel).SignIn(
    auth_pb2.SignInRequest(username="admin", password=password)
)
metadata = [("authorization", f"Bearer {signed_in.tokens.access_token}")]
environments = environment_pb2_grpc.EnvironmentServiceStub(channel).ListEnvironments(
    environment_pb2.ListEnvironmentsRequest(), metadata=metadata
)
poses = pose_pb2_grpc.PoseServiceStub(channel)
frame_ids = []
for message in poses.WatchPoses(pose_pb2.WatchPosesRequest(environment_ids=[environment]), metadata=metadata):
    frame_ids.append(message.pose_frame.frame_id)
    if len(frame_ids) == 5:
        break
try:
    poses.GetLatestPose(pose_pb2.GetLatestPoseRequest(environment_id="nowhere"), metadata=metadata)
    failure = None
except grpc.RpcError as error:
    failure = error.code().name
print(
    json.dumps(
        {
            "environments": [each.environment_id for each in environments.environments],
            "frame_ids": frame_ids,
            "source": pose_pb2.DESCRIPTOR.pool.FindMessageTypeByName("wavepose.v1.CurrentProvenance")
            .enum_types_by_name["Source"]
            .values_by_number[message.pose_frame.metadata.provenance.source]
            .name,
            "failure": failure,
        }
    )
)
