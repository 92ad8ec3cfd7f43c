// Command wavepose-example signs in over REST, reads the newest pose frame, and watches frames over gRPC.
//
//	go run . -password "$PASSWORD" -frames 10
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net/http"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/status"

	waveposev1 "wavepose/v1"
)

var (
	restURL  = flag.String("url", "http://127.0.0.1:8000", "REST API of the service")
	address  = flag.String("grpc", "127.0.0.1:50051", "gRPC address of the service")
	username = flag.String("username", "admin", "account")
	password = flag.String("password", "", "its password")
	frames   = flag.Int("frames", 10, "number of frames to watch")
)

// restCall sends a request with a JSON body, or none if body is nil, and reads the JSON answer.
func restCall(ctx context.Context, method, path, token string, body, answer any) error {
	var content io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(encoded)
	}
	request, err := http.NewRequestWithContext(ctx, method, *restURL+path, content)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode >= 300 {
		text, _ := io.ReadAll(io.LimitReader(response.Body, 1<<16))
		return fmt.Errorf("%s %s: %s: %s", method, path, response.Status, text)
	}
	return json.NewDecoder(response.Body).Decode(answer)
}

// watch prints frames until it has `count`. After a lost stream it continues after the last frame of each environment.
func watch(ctx context.Context, client waveposev1.PoseServiceClient, count int) error {
	after := map[string]uint64{}
	for count > 0 {
		request := &waveposev1.WatchPosesRequest{AfterFrameIds: after}
		stream, err := client.WatchPoses(ctx, request)
		if err != nil {
			return err
		}
		for count > 0 {
			message, err := stream.Recv()
			if status.Code(err) == codes.Unavailable || err == io.EOF {
				time.Sleep(time.Second)
				break
			}
			if err != nil {
				return err
			}
			frame := message.GetPoseFrame()
			after[frame.GetMetadata().GetEnvironmentId()] = frame.GetFrameId()
			fmt.Printf("gRPC: environment %s, frame %d, %d persons\n",
				frame.GetMetadata().GetEnvironmentId(), frame.GetFrameId(), len(frame.GetPersons()))
			count--
		}
	}
	return nil
}

func main() {
	flag.Parse()
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()

	var tokens struct {
		AccessToken string `json:"access_token"`
	}
	login := map[string]string{"username": *username, "password": *password}
	if err := restCall(ctx, "POST", "/api/v1/auth/token", "", login, &tokens); err != nil {
		log.Fatal(err)
	}
	var latest struct {
		FrameID uint64 `json:"frame_id"`
	}
	if err := restCall(ctx, "GET", "/api/v1/pose/latest", tokens.AccessToken, nil, &latest); err != nil {
		log.Fatal(err)
	}
	fmt.Printf("REST: newest frame %d\n", latest.FrameID)

	connection, err := grpc.Dial(*address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		log.Fatal(err)
	}
	defer connection.Close()
	signedIn := metadata.AppendToOutgoingContext(ctx, "authorization", "Bearer "+tokens.AccessToken)
	if err := watch(signedIn, waveposev1.NewPoseServiceClient(connection), *frames); err != nil {
		log.Fatal(err)
	}
}
